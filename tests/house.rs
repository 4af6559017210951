#[path = "support/imports.rs"]
mod imports;
#[path = "support/source.rs"]
mod source;
#[test]
fn show() {
    let g = imports::graph();
    for (f, t) in &g {
        println!("{f} -> {t:?}");
    }
    println!("CIRCLES {:#?}", imports::circles(&g));
}
