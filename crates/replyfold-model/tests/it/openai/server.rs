//! A server of HTTP/1.1 that sends what it is told and keeps what it was asked.

use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// What a connection gets, as bytes on the wire.
pub(super) struct Reply {
    bytes: Vec<u8>,
    /// Whether the connection then stays open until the other side closes it.
    stalls: bool,
}

impl Reply {
    /// These bytes, whatever they are.
    pub(super) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), stalls: false }
    }

    /// A body in chunks that are cut at these places.
    pub(super) fn cut(head: &str, body: &[u8], cuts: impl IntoIterator<Item = usize>) -> Self {
        let mut reply = Self::open(head, body, cuts);
        reply.bytes.extend_from_slice(b"0\r\n\r\n");
        reply
    }

    /// The same without its end.
    pub(super) fn open(head: &str, body: &[u8], cuts: impl IntoIterator<Item = usize>) -> Self {
        let mut bytes = format!("HTTP/1.1 {head}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
        let mut from = 0;
        for to in cuts.into_iter().chain([body.len()]) {
            let piece = &body[from..to];
            from = to;
            // An empty chunk would be the end.
            if !piece.is_empty() {
                bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                bytes.extend_from_slice(piece);
                bytes.extend_from_slice(b"\r\n");
            }
        }
        Self::raw(bytes)
    }

    /// A stream of events.
    pub(super) fn stream(body: impl AsRef<[u8]>) -> Self {
        Self::cut("200 OK\r\ncontent-type: text/event-stream; charset=utf-8", body.as_ref(), [])
    }

    /// A document of this type under this status and headers.
    pub(super) fn whole(head: &str, content_type: &str, body: &str) -> Self {
        Self::cut(&format!("{head}\r\ncontent-type: {content_type}"), body.as_bytes(), [])
    }

    /// JSON under this status and headers.
    pub(super) fn json(head: &str, body: &str) -> Self {
        Self::whole(head, "application/json", body)
    }

    /// And then nothing, until the other side is gone.
    pub(super) fn then_stall(mut self) -> Self {
        self.stalls = true;
        self
    }
}

/// What was asked.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// First line and headers, names in lower case.
    pub(super) head: String,
    pub(super) body: Value,
}

pub(super) struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    gone: mpsc::UnboundedReceiver<()>,
}

impl Server {
    /// A server that gives each connection the next reply.
    pub(super) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (tell, gone) = mpsc::unbounded_channel();
        let (mut replies, kept): (VecDeque<Reply>, _) = (replies.into_iter().collect(), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Some(reply) = replies.pop_front() {
                let (mut socket, _) = listener.accept().await.unwrap();
                let Some(request) = read(&mut socket).await else { continue };
                kept.lock().unwrap().push(request);
                // Who has what it wants may be gone before the rest is sent.
                let _ = socket.write_all(&reply.bytes).await;
                if reply.stalls {
                    while matches!(socket.read(&mut [0; 64]).await, Ok(1..)) {}
                    let _ = tell.send(());
                }
            }
        });
        Self { url, asked, gone }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until the other side of a stalled connection is gone.
    pub(super) async fn gone(&mut self) {
        self.gone.recv().await.unwrap();
    }
}

async fn read(socket: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    loop {
        let mut room = [0; 4096];
        let length = socket.read(&mut room).await.ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&room[..length]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head: String = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok())?;
        if bytes.len() >= end + 4 + length {
            return Some(Asked { head, body: serde_json::from_slice(&bytes[end + 4..]).unwrap() });
        }
    }
}
