//! `tfc lsp`: the language server, which an editor starts and speaks to by standard input and output (Language Server Protocol 3.17).
mod answers;
mod bounds;
mod document;
mod names;
mod text;

use crate::session::{Done, Exit, Session, Stop};
use document::Document;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use tfc_ir::{Code, Error};

/// Larger messages are no programs.
const MOST_BYTES: usize = 1 << 30;

/// What the server can do, as it says at the beginning.
fn capabilities() -> Value {
    json!({
        "capabilities": {
            "textDocumentSync": { "openClose": true, "change": 1 },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentFormattingProvider": true,
            "completionProvider": { "triggerCharacters": ["%", "@", "."] },
            "inlayHintProvider": true,
            "codeLensProvider": {},
            "executeCommandProvider": { "commands": [answers::GRADIENT] },
        },
        "serverInfo": { "name": "tfc", "version": env!("CARGO_PKG_VERSION") },
    })
}

pub(super) fn run(session: &Session) -> Done {
    let mut server = Server { session, documents: BTreeMap::new(), shut: false };
    let mut from = std::io::stdin().lock();
    loop {
        let message = match read(&mut from) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(()),
            Err(text) => {
                let e = Error::new(Code::E0601, format!("cannot read a message of the editor: {text}"));
                return Err(Stop::with(Exit::RunTime, e));
            }
        };
        if message["method"] == "exit" {
            return if server.shut { Ok(()) } else { Err(Stop::quietly(Exit::Program)) };
        }
        for reply in server.take(&message) {
            let body = reply.to_string();
            session.print(&format!("Content-Length: {}\r\n\r\n{body}", body.len()))?;
        }
    }
}

/// The next message; none at the end of the stream.
fn read(from: &mut impl BufRead) -> Result<Option<Value>, String> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).map_err(|e| e.to_string())? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(':') {
            Some((key, n)) if key.eq_ignore_ascii_case("content-length") => length = n.trim().parse::<usize>().ok(),
            Some(_) => {}
            None if line.trim_end().is_empty() => break,
            None => return Err("a header has no `:`".into()),
        }
    }
    let length = length.filter(|n| *n <= MOST_BYTES).ok_or("a message without a `Content-Length`")?;
    let mut body = vec![];
    from.take(length as u64).read_to_end(&mut body).map_err(|e| e.to_string())?;
    serde_json::from_slice(&body).map(Some).map_err(|e| e.to_string())
}

/// Why a request is refused, in words for the person who made it.
struct Refused(String);

struct Server<'s> {
    session: &'s Session,
    /// What is open, by its address.
    documents: BTreeMap<String, Document>,
    shut: bool,
}
impl Server<'_> {
    /// What is answered to a message.
    fn take(&mut self, message: &Value) -> Vec<Value> {
        let method = message["method"].as_str().unwrap_or_default();
        let params = &message["params"];
        let Some(id) = message.get("id") else { return self.notice(method, params) };
        let answer = match method {
            "initialize" => Ok(capabilities()),
            "shutdown" => {
                self.shut = true;
                Ok(Value::Null)
            }
            _ => match self.answer(method, params) {
                Some(answer) => answer,
                // A response to something the server has asked: it asks nothing.
                None if method.is_empty() => return vec![],
                None => {
                    let error = json!({ "code": -32601, "message": format!("there is no request `{method}`") });
                    return vec![json!({ "jsonrpc": "2.0", "id": id, "error": error })];
                }
            },
        };
        vec![match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Refused(text)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32803, "message": text } })
            }
        }]
    }

    /// A message that wants no answer; what is published of it.
    fn notice(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "textDocument/didOpen" => self.open(uri, document["text"].as_str().unwrap_or_default()),
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array().and_then(|c| c.last());
                let text = changes.and_then(|c| c["text"].as_str()).unwrap_or_default().to_owned();
                self.open(uri, &text)
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                vec![published(&uri, vec![])]
            }
            _ => vec![],
        }
    }

    fn open(&mut self, uri: String, text: &str) -> Vec<Value> {
        let before = self.documents.remove(&uri);
        let path = document::path_of(&uri);
        // Those that import others may have become right or wrong by the change.
        let importing: Vec<String> = self.documents.iter().filter(|d| d.1.imports()).map(|d| d.0.clone()).collect();
        self.documents.insert(uri.clone(), Document::new(path, text.to_owned(), before));
        [uri].into_iter().chain(importing).map(|uri| self.check(&uri)).collect()
    }

    /// Reads an open document anew; what is wrong with it.
    fn check(&mut self, uri: &str) -> Value {
        let Some(mut document) = self.documents.remove(uri) else { return published(uri, vec![]) };
        let found = document.check(self.session, &self.documents);
        self.documents.insert(uri.to_owned(), document);
        published(uri, found)
    }
}

fn published(uri: &str, diagnostics: Vec<Value>) -> Value {
    let params = json!({ "uri": uri, "diagnostics": diagnostics });
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}
