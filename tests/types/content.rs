//! §5.2, §5.4, §5.5 Content.

use plain_mcp::types::*;
use serde_json::json;

use crate::line;

#[test]
fn blocks() {
    covers!("5.2-12");
    for (block, wanted) in [
        (ContentBlock::text("a"), r#"{"type":"text","text":"a"}"#),
        (ContentBlock::from("a"), r#"{"type":"text","text":"a"}"#),
        (ContentBlock::from(String::from("a")), r#"{"type":"text","text":"a"}"#),
        (ContentBlock::image(&[0, 1, 255], "image/png"), r#"{"type":"image","data":"AAH/","mimeType":"image/png"}"#),
        (ContentBlock::image_base64("AA==", "image/png"), r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#),
        (ContentBlock::audio(b"RIFF", "audio/wav"), r#"{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}"#),
        (ContentBlock::audio_base64("AA==", "audio/wav"), r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#),
        (
            ContentBlock::resource_link(Resource::new("a:b", "n").size(3)),
            r#"{"type":"resource_link","uri":"a:b","name":"n","size":3}"#,
        ),
        (
            ContentBlock::resource(contents::text("text/plain", "t").uri("a:b")),
            r#"{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"t"}}"#,
        ),
        (
            ContentBlock::from(contents::blob("x/y", &[0]).uri("a:b")),
            r#"{"type":"resource","resource":{"uri":"a:b","mimeType":"x/y","blob":"AA=="}}"#,
        ),
    ] {
        assert_eq!(line(&block), wanted);
    }
}

#[test]
fn hints_and_meta_on_every_block() {
    covers!("5.2-13");
    let hints = Annotations::new().audience(Role::User).priority(0.5).last_modified("2026-07-28T00:00:00Z");
    for block in [
        ContentBlock::text("a"),
        ContentBlock::image(b"", "image/png"),
        ContentBlock::audio(b"", "audio/wav"),
        ContentBlock::resource_link(Resource::new("a:b", "n")),
        ContentBlock::resource(contents::text("x/y", "t").uri("a:b")),
    ] {
        let block = serde_json::to_value(block.annotations(hints.clone()).meta("k", 1).meta("l", "m")).unwrap();
        let wanted = json!({"audience": ["user"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z"});
        assert_eq!(block["annotations"], wanted, "{block}");
        assert_eq!(block["_meta"], json!({"k": 1, "l": "m"}), "{block}");
    }
}

#[test]
fn a_priority_that_json_cannot_write_stays_unset() {
    assert_eq!(line(&Annotations::new().priority(f64::NAN)), "{}");
}

#[test]
fn contents_take_the_address_that_was_read() {
    let read = contents::text("text/plain", "t").meta("k", 1).or_uri("a:b");
    assert_eq!(line(&read), r#"{"uri":"a:b","mimeType":"text/plain","text":"t","_meta":{"k":1}}"#);
    assert_eq!(contents::text("text/plain", "t").uri("own:x").or_uri("a:b").uri, "own:x");
}

#[test]
fn a_prompt_message_holds_one_block() {
    assert_eq!(line(&PromptMessage::user("a")), r#"{"role":"user","content":{"type":"text","text":"a"}}"#);
    let spoken = PromptMessage::assistant(ContentBlock::audio(b"", "audio/wav"));
    assert_eq!(line(&spoken), r#"{"role":"assistant","content":{"type":"audio","data":"","mimeType":"audio/wav"}}"#);
}

#[test]
fn text_of_a_block() {
    assert_eq!(ContentBlock::text("a").as_text(), Some("a"));
    assert_eq!(ContentBlock::image(b"", "image/png").as_text(), None);
}
