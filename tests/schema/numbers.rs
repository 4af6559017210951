//! Numbers are exact (D19).

use plain_mcp::schema::Schema;
use serde_json::json;

use crate::check;

#[test]
fn bounds_of_numbers() {
    check(
        json!({"minimum": 3}),
        &[json!(3), json!(3.0), json!("2")],
        &[(json!(2.999), "arguments: must be at least 3")],
    );
    check(json!({"maximum": 3}), &[json!(3), json!(-1e308)], &[(json!(3.0001), "arguments: must be at most 3")]);
    check(json!({"exclusiveMinimum": 0.5}), &[json!(0.51)], &[(json!(0.5), "arguments: must be greater than 0.5")]);
    check(json!({"exclusiveMaximum": -1}), &[json!(-1.5)], &[(json!(-1.0), "arguments: must be less than -1")]);
    // How the exponent of a large number is written is serde_json's affair, so only the verdict counts here.
    let schema = Schema::compile(&json!({"minimum": 1e300, "maximum": 1e301})).unwrap();
    for (value, valid) in
        [(json!(5e300), true), (json!(1e300), true), (json!(u64::MAX), false), (json!(1.1e301), false)]
    {
        assert_eq!(schema.check(&value).is_ok(), valid, "{value}");
    }
    check(
        json!({"minimum": -1e-300}),
        &[json!(0), json!(-1e-301)],
        &[(json!(-1), "arguments: must be at least -1e-300")],
    );
}

/// Beyond 128 bits too: the sign, the size and the factors of a number count, not its nearest float.
#[test]
fn decimals_of_both_signs_and_large_multiples() {
    check(
        json!({"minimum": -0.5, "maximum": 0.5}),
        &[json!(0.25), json!(-0.25), json!(0)],
        &[(json!(-0.75), "arguments: must be at least -0.5"), (json!(0.75), "arguments: must be at most 0.5")],
    );
    check(json!({"minimum": 0.5}), &[], &[(json!(-0.75), "arguments: must be at least 0.5")]);
    check(json!({"multipleOf": 1_u64 << 40}), &[json!(1e40), json!(3e40)], &[]);
    check(
        json!({"multipleOf": 1_u64 << 41}),
        &[json!(2e40)],
        &[(json!(1e40), "arguments: must be a multiple of 2199023255552")],
    );
    check(json!({"maxLength": 1e300}), &[json!("a")], &[]);
    crate::refused(json!({"maxLength": -1e300}), "/maxLength: must be an integer of at least 0");
}

/// D19: exact over all of i64 and u64, and beyond 2^53.
#[test]
fn large_integers_are_exact() {
    let odd = 9_007_199_254_740_993_u64;
    check(
        json!({"const": odd}),
        &[json!(odd)],
        &[
            (json!(odd - 1), "arguments: must be 9007199254740993"),
            (json!(odd + 1), "arguments: must be 9007199254740993"),
            (json!(9007199254740992.0), "arguments: must be 9007199254740993"),
        ],
    );
    check(
        json!({"maximum": i64::MAX}),
        &[json!(i64::MAX), json!(i64::MIN)],
        &[
            (json!(i64::MAX as u64 + 1), "arguments: must be at most 9223372036854775807"),
            (json!(9223372036854775808.0), "arguments: must be at most 9223372036854775807"),
        ],
    );
    check(
        json!({"exclusiveMaximum": u64::MAX}),
        &[json!(u64::MAX - 1)],
        &[(json!(u64::MAX), "arguments: must be less than 18446744073709551615")],
    );
    check(
        json!({"minimum": i64::MIN}),
        &[json!(i64::MIN)],
        &[(json!(-9.3e18), "arguments: must be at least -9223372036854775808")],
    );
    check(
        json!({"multipleOf": 3}),
        &[json!(u64::MAX), json!(-9), json!(0), json!(9.0)],
        &[
            (json!(u64::MAX - 1), "arguments: must be a multiple of 3"),
            (json!(i64::MIN), "arguments: must be a multiple of 3"),
        ],
    );
    check(json!({"uniqueItems": true}), &[json!([odd, odd - 1])], &[]);
}

#[test]
fn multiples_are_decimal() {
    check(
        json!({"multipleOf": 0.0001}),
        &[json!(0.0075), json!(12), json!(-0.5)],
        &[(json!(0.00751), "arguments: must be a multiple of 0.0001")],
    );
    check(
        json!({"multipleOf": 0.01}),
        &[json!(19.99), json!(0.07), json!(1e308), json!("1")],
        &[(json!(0.001), "arguments: must be a multiple of 0.01")],
    );
    check(json!({"multipleOf": 0.5}), &[json!(1e308)], &[(json!(1.25), "arguments: must be a multiple of 0.5")]);
    check(
        json!({"multipleOf": 0.123456789}),
        &[json!(0.246913578)],
        &[(json!(1e308), "arguments: must be a multiple of 0.123456789")],
    );
    let schema = Schema::compile(&json!({"multipleOf": 1e300})).unwrap();
    for (value, valid) in
        [(json!(0), true), (json!(-3e300), true), (json!(1e305), true), (json!(1), false), (json!(1.5e300), false)]
    {
        assert_eq!(schema.check(&value).is_ok(), valid, "{value}");
    }
    check(json!({"multipleOf": 5e-324}), &[json!(1e308), json!(0)], &[]);
}
