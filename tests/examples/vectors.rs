//! Our own vectors, for where the official examples are not at hand.

use serde_json::{Value, json};

fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}})
}

fn form() -> Value {
    json!({"mode": "form", "message": "m", "requestedSchema": {"type": "object",
        "properties": {"s": {"type": "string"}}, "required": ["s"]}})
}

/// A value or two for each row of the table, with every optional member somewhere.
pub fn of(folder: &str) -> Vec<Value> {
    let notes = json!({"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z"});
    let icon = json!({"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"});
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let response = |result: Value| json!({"jsonrpc": "2.0", "id": "a", "result": result});
    let note = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    let error = |code: i64, data: Value| json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "m", "data": data}});
    let inner = |folder: &str| of(folder).remove(0);
    let cached = |name: &str, item: Value| json!({"resultType": "complete", name: [item], "nextCursor": "c", "ttlMs": 5, "cacheScope": "public", "_meta": {"a/b": 1}});
    let choices = json!([{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]);
    let subscribed = json!({"_meta": {"io.modelcontextprotocol/subscriptionId": 9}});
    match folder {
        "AudioContent" => vec![
            json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav", "annotations": notes, "_meta": {"a/b": null}}),
        ],
        "ImageContent" => vec![json!({"type": "image", "data": "AA==", "mimeType": "image/png"})],
        "TextContent" => vec![json!({"type": "text", "text": "t", "annotations": {"priority": 1}})],
        "ResourceLink" => {
            vec![json!({"type": "resource_link", "uri": "a:b", "name": "n", "title": "t", "description": "d",
            "mimeType": "text/plain", "size": 3, "icons": [icon], "annotations": notes, "_meta": {"k": [1]}})]
        }
        "EmbeddedResource" => vec![
            json!({"type": "resource", "resource": {"uri": "a:b", "text": "t", "_meta": {}}, "annotations": notes, "_meta": {}}),
            json!({"type": "resource", "resource": {"uri": "a:b", "mimeType": "x/y", "blob": "AA=="}}),
        ],
        "BlobResourceContents" => vec![json!({"uri": "a:b", "mimeType": "x/y", "blob": "AA==", "_meta": {"k": 1}})],
        "TextResourceContents" => vec![json!({"uri": "a:b", "text": ""})],
        "BooleanSchema" => vec![json!({"type": "boolean", "title": "t", "description": "d", "default": true})],
        "NumberSchema" => vec![
            json!({"type": "number", "minimum": 0.5, "maximum": 9007199254740993u64, "default": 1}),
            json!({"type": "integer", "minimum": -3}),
        ],
        "StringSchema" => vec![
            json!({"type": "string", "minLength": 1, "maxLength": 2, "format": "uri", "default": "a"}),
            json!({"type": "string", "enum": ["a"], "enumNames": ["A"]}),
        ],
        "TitledMultiSelectEnumSchema" => {
            vec![json!({"type": "array", "items": {"anyOf": choices}, "minItems": 1, "maxItems": 2, "default": ["a"]})]
        }
        "TitledSingleSelectEnumSchema" => vec![json!({"type": "string", "oneOf": choices, "default": "a"})],
        "UntitledMultiSelectEnumSchema" => vec![json!({"type": "array", "items": {"type": "string", "enum": ["a"]}})],
        "UntitledSingleSelectEnumSchema" => vec![json!({"type": "string", "enum": ["a", "b"], "default": "b"})],
        "CallToolRequestParams" => vec![
            json!({"_meta": meta(), "name": "n"}),
            json!({"_meta": meta(), "name": "n", "arguments": {"a": null},
            "inputResponses": {"x": {"action": "accept"}}, "requestState": "s"}),
        ],
        "CallToolRequest" => vec![request("tools/call", inner("CallToolRequestParams"))],
        "CallToolResult" => vec![
            json!({"resultType": "complete", "content": [], "structuredContent": null}),
            json!({"resultType": "complete", "content": [{"type": "text", "text": "t"}], "structuredContent": [1.5], "isError": true, "_meta": {}}),
            json!({"resultType": "task", "content": []}),
        ],
        "CallToolResultResponse" => vec![response(inner("CallToolResult"))],
        "CancelledNotificationParams" => {
            vec![json!({"requestId": 7, "reason": "r", "_meta": {}}), json!({"requestId": "7"})]
        }
        "CancelledNotification" => vec![note("notifications/cancelled", inner("CancelledNotificationParams"))],
        "ClientCapabilities" => {
            vec![json!({"roots": {"listChanged": true}, "sampling": {"tools": {}}, "unheard-of": 1})]
        }
        "CompleteRequestParams" => vec![
            json!({"_meta": meta(), "ref": {"type": "ref/prompt", "name": "n", "title": "t"}, "argument": {"name": "a", "value": ""}, "context": {"arguments": {"b": "c"}}}),
            json!({"_meta": meta(), "ref": {"type": "ref/resource", "uri": "a:{b}"}, "argument": {"name": "b", "value": "v"}}),
        ],
        "CompleteRequest" => vec![request("completion/complete", inner("CompleteRequestParams"))],
        "CompleteResult" => vec![
            json!({"resultType": "complete", "completion": {"values": ["a"], "total": 1, "hasMore": false}}),
            json!({"resultType": "complete", "completion": {"values": []}}),
        ],
        "CompleteResultResponse" => vec![response(inner("CompleteResult"))],
        "CreateMessageRequestParams" => vec![
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": "t"}}], "maxTokens": 1}),
            json!({"messages": [inner("SamplingMessage")], "maxTokens": 9, "systemPrompt": "s", "modelPreferences": inner("ModelPreferences"),
                "temperature": 0.25, "stopSequences": ["x"], "includeContext": "thisServer", "metadata": {"k": {}},
                "tools": [inner("Tool")], "toolChoice": {"mode": "required"}}),
        ],
        "CreateMessageRequest" => {
            vec![json!({"method": "sampling/createMessage", "params": inner("CreateMessageRequestParams")})]
        }
        "CreateMessageResult" => vec![
            json!({"role": "assistant", "content": [inner("ToolUseContent")], "model": "m", "stopReason": "toolUse", "_meta": {}}),
        ],
        "SamplingMessage" => vec![
            json!({"role": "assistant", "content": {"type": "image", "data": "", "mimeType": "x/y"}, "_meta": {"k": 1}}),
        ],
        "ToolResultContent" => {
            vec![json!({"type": "tool_result", "toolUseId": "1", "content": [{"type": "text", "text": "t"}],
            "structuredContent": {"a": 1}, "isError": false, "_meta": {"k": 1}})]
        }
        "ToolUseContent" => {
            vec![json!({"type": "tool_use", "id": "1", "name": "n", "input": {"a": 1}, "_meta": {"k": 1}})]
        }
        "ModelPreferences" => vec![
            json!({"hints": [{"name": "a"}, {}], "costPriority": 0, "speedPriority": 1, "intelligencePriority": 0.5}),
        ],
        "DiscoverRequest" => vec![request("server/discover", json!({"_meta": meta()}))],
        "DiscoverResult" => vec![
            json!({"resultType": "complete", "supportedVersions": ["v"], "capabilities": inner("ServerCapabilities"),
            "instructions": "i", "ttlMs": 0, "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "n", "version": "v"}}}),
        ],
        "DiscoverResultResponse" => vec![response(inner("DiscoverResult"))],
        "ServerCapabilities" => vec![
            json!({"tools": {"listChanged": true}, "prompts": {"listChanged": false}, "resources": {"listChanged": true, "subscribe": true},
            "completions": {}, "logging": {}, "experimental": {"x": {}}, "extensions": {"a/b": {"c": 1}}}),
            json!({}),
        ],
        "ElicitRequest" => vec![
            json!({"method": "elicitation/create", "params": form()}),
            json!({"method": "elicitation/create", "params": inner("ElicitRequestURLParams")}),
        ],
        "ElicitRequestFormParams" => vec![
            form(),
            json!({"message": "m", "requestedSchema": {"$schema": "s", "type": "object", "properties": {}}}),
        ],
        "ElicitRequestURLParams" => vec![json!({"mode": "url", "message": "m", "url": "https://example.com/"})],
        "ElicitResult" => vec![
            json!({"action": "accept", "content": {"s": "t", "n": 1.5, "i": 3, "b": true, "l": ["x"]}}),
            json!({"action": "decline"}),
            json!({"action": "cancel"}),
        ],
        "GetPromptRequestParams" => vec![
            json!({"_meta": meta(), "name": "n", "arguments": {"a": "b"}, "inputResponses": {}, "requestState": ""}),
        ],
        "GetPromptRequest" => vec![request("prompts/get", inner("GetPromptRequestParams"))],
        "GetPromptResult" => vec![
            json!({"resultType": "complete", "description": "d", "messages": [{"role": "user", "content": {"type": "text", "text": "t"}}], "_meta": {}}),
        ],
        "GetPromptResultResponse" => vec![response(inner("GetPromptResult"))],
        "HeaderMismatchError" => vec![error(-32020, json!({"header": "a", "body": "b"}))],
        "MissingRequiredClientCapabilityError" => vec![error(-32021, json!({"requiredCapabilities": {"roots": {}}}))],
        "UnsupportedProtocolVersionError" => vec![
            error(-32022, json!({"requested": "a", "supported": ["b"]})),
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "m"}}),
        ],
        "InternalError" | "InvalidParamsError" | "MethodNotFoundError" | "ParseError" => {
            vec![json!({"code": -32603, "message": "m"}), json!({"code": 1, "message": "m", "data": null})]
        }
        "InputRequests" => vec![
            json!({"a": inner("ElicitRequest"), "b": inner("CreateMessageRequest"), "c": {"method": "roots/list", "params": {"_meta": {"k": 1}}}}),
        ],
        "InputRequiredResult" => vec![
            json!({"resultType": "input_required", "inputRequests": inner("InputRequests"), "requestState": "s", "_meta": {}}),
            json!({"resultType": "input_required", "requestState": "s"}),
        ],
        "InputResponses" => {
            vec![json!({"a": inner("ElicitResult"), "b": inner("CreateMessageResult"), "c": inner("ListRootsResult")})]
        }
        "PaginatedRequestParams" => vec![json!({"_meta": meta(), "cursor": "c"}), json!({"_meta": meta()})],
        "ListPromptsRequest" | "ListResourceTemplatesRequest" | "ListResourcesRequest" | "ListToolsRequest" => {
            vec![request("m", inner("PaginatedRequestParams"))]
        }
        "ListPromptsResult" => vec![cached(
            "prompts",
            json!({"name": "n", "title": "t", "description": "d", "icons": [icon], "_meta": {"k": 1},
            "arguments": [{"name": "a", "title": "t", "description": "d", "required": true}, {"name": "b", "required": false}]}),
        )],
        "ListResourceTemplatesResult" => vec![cached(
            "resourceTemplates",
            json!({"uriTemplate": "a:{b}", "name": "n", "title": "t", "description": "d",
            "mimeType": "x/y", "icons": [icon], "annotations": notes, "_meta": {"k": 1}}),
        )],
        "ListResourcesResult" => vec![cached("resources", inner("Resource"))],
        "ListToolsResult" => vec![cached("tools", inner("Tool"))],
        "ListPromptsResultResponse" => vec![response(inner("ListPromptsResult"))],
        "ListResourceTemplatesResultResponse" => vec![response(inner("ListResourceTemplatesResult"))],
        "ListResourcesResultResponse" => vec![response(inner("ListResourcesResult"))],
        "ListToolsResultResponse" => vec![response(inner("ListToolsResult"))],
        "ListRootsRequest" => vec![json!({"id": 1, "method": "roots/list", "params": {}})],
        "ListRootsResult" => vec![json!({"roots": [inner("Root"), {"uri": "file:///b"}]})],
        "Root" => vec![json!({"uri": "file:///a", "name": "n", "_meta": {"k": 1}})],
        "LoggingMessageNotificationParams" => vec![
            json!({"level": "emergency", "logger": "l", "data": null, "_meta": {}}),
            json!({"level": "debug", "data": 1}),
        ],
        "LoggingMessageNotification" => vec![note("notifications/message", inner("LoggingMessageNotificationParams"))],
        "ProgressNotificationParams" => vec![
            json!({"progressToken": 5, "progress": 0.5, "total": 2, "message": "m", "_meta": {}}),
            json!({"progressToken": "t", "progress": 1}),
        ],
        "ProgressNotification" => vec![note("notifications/progress", inner("ProgressNotificationParams"))],
        "PromptListChangedNotification" | "ResourceListChangedNotification" | "ToolListChangedNotification" => {
            vec![note("m", subscribed), note("m", json!({}))]
        }
        "ReadResourceRequest" => vec![request(
            "resources/read",
            json!({"_meta": meta(), "uri": "a:b", "inputResponses": {}, "requestState": "s"}),
        )],
        "ReadResourceResult" => vec![
            json!({"resultType": "complete", "contents": [inner("BlobResourceContents"), inner("TextResourceContents")], "ttlMs": 1, "cacheScope": "public", "_meta": {}}),
        ],
        "ReadResourceResultResponse" => vec![response(inner("ReadResourceResult"))],
        "Resource" => vec![
            json!({"uri": "a:b", "name": "n", "title": "t", "description": "d", "mimeType": "x/y", "size": 0, "icons": [icon], "annotations": notes, "_meta": {"k": 1}}),
        ],
        "ResourceUpdatedNotificationParams" => vec![json!({"uri": "a:b", "_meta": {}})],
        "ResourceUpdatedNotification" => {
            vec![note("notifications/resources/updated", inner("ResourceUpdatedNotificationParams"))]
        }
        "SubscriptionsAcknowledgedNotification" => vec![note(
            "notifications/subscriptions/acknowledged",
            json!({"notifications": {}, "_meta": subscribed["_meta"]}),
        )],
        "SubscriptionsListenRequest" => vec![request(
            "subscriptions/listen",
            json!({"_meta": meta(), "notifications": {"toolsListChanged": true,
            "promptsListChanged": false, "resourcesListChanged": true, "resourceSubscriptions": ["a:b"]}}),
        )],
        "SubscriptionsListenResult" => vec![json!({"resultType": "complete", "_meta": subscribed["_meta"]})],
        "SubscriptionsListenResultResponse" => vec![response(inner("SubscriptionsListenResult"))],
        "Tool" => vec![
            json!({"name": "n", "title": "t", "description": "d", "inputSchema": {"type": "object", "x": 1}, "outputSchema": {}, "icons": [icon], "_meta": {"k": 1},
            "annotations": {"title": "t", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}}),
        ],
        _ => Vec::new(),
    }
}
