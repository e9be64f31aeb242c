//! Connections that break, stall, or are never made, and those that we close.

use super::server::{Reply, Server};
use super::{DONE, KEY, builder, call, client, delta, finish, stop, text};
use futures_util::{FutureExt as _, StreamExt as _};
use replyfold_model::OpenAiCompatible;
use replyfold_runtime::{ChatModel as _, ModelChunk, ModelErrorKind, ModelRequest};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const HEAD: &str = "200 OK\r\ncontent-type: text/event-stream";
const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    // A port that was just free.
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let server = Server::start([]).await;
    let model = builder(&server).base_url(format!("http://{address}/v1?key=in-query")).build().unwrap();
    let error = call(&model).await.1.unwrap();
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert_eq!(error.message, format!("{address} cannot be reached; check that the server runs there"));
    assert!(!format!("{error:?}").contains("in-query"), "{error:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_answer_is_a_failure_of_the_network() {
    for reply in [Reply::raw(""), Reply::raw("HTTP/1.1 200 O"), Reply::raw("what?\r\n\r\n")] {
        let server = Server::start([reply]).await;
        let error = call(&builder(&server).build().unwrap()).await.1.unwrap();
        assert!(error.kind == ModelErrorKind::Network && error.message.contains("127.0.0.1"), "{error:?}");
    }
}

#[tokio::test]
async fn a_stalled_answer_times_out() {
    let started = delta(r#"{"content":"Par"}"#);
    for (reply, chunks, told) in [
        (Reply::raw("").then_stall(), vec![], "did not begin"),
        (Reply::open(HEAD, started.as_bytes(), []).then_stall(), vec![text("Par")], "nothing more came"),
    ] {
        let mut server = Server::start([reply]).await;
        let model = builder(&server).idle_timeout(SHORT).build().unwrap();
        let (got, error) = call(&model).await;
        let error = error.unwrap();
        assert_eq!((got, error.kind), (chunks, ModelErrorKind::Timeout));
        assert!(error.message.contains(told) && error.message.contains("50ms"), "{error}");
        server.gone().await;
    }
}

#[tokio::test]
async fn what_breaks_behind_the_end_is_no_failure() {
    let body = [delta(r#"{"content":"Paris"}"#), stop("stop")].concat();
    for reply in [Reply::open(HEAD, body.as_bytes(), []), Reply::open(HEAD, body.as_bytes(), []).then_stall()] {
        let server = Server::start([reply]).await;
        let model = builder(&server).idle_timeout(Duration::from_millis(500)).build().unwrap();
        assert_eq!(call(&model).await, (vec![text("Paris"), finish("stop")], None));
    }
    // The provider's last word ends the answer, whatever the connection does.
    let body = [&body, DONE].concat();
    let mut server = Server::start([Reply::open(HEAD, body.as_bytes(), []).then_stall()]).await;
    assert_eq!(call(&builder(&server).build().unwrap()).await, (vec![text("Paris"), finish("stop")], None));
    server.gone().await;
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let body = delta(r#"{"content":"Par"}"#);
    let mut server = Server::start([Reply::open(HEAD, body.as_bytes(), []).then_stall(), Reply::raw("").then_stall()]).await;
    let model: OpenAiCompatible = builder(&server).build().unwrap();
    let mut stream = model.call(ModelRequest::default()).await.unwrap();
    assert_eq!(stream.next().await, Some(Ok(ModelChunk::Text("Par".to_owned()))));
    drop(stream);
    server.gone().await;
    // So does dropping the call before its answer begins.
    let mut waiting = model.call(ModelRequest::default());
    while server.asked().len() < 2 {
        assert!((&mut waiting).now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    drop(waiting);
    server.gone().await;
}

#[tokio::test]
async fn an_https_url_is_spoken_to_in_tls_and_never_in_the_clear() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    // A server without TLS: it answers whatever comes as most of them do.
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut room = [0; 4096];
        let length = socket.read(&mut room).await.unwrap();
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        room[..length].to_vec()
    });
    let base = OpenAiCompatible::builder("m").api_key(KEY).client(client()).base_url(format!("https://{address}/v1"));
    let error = call(&base.clone().build().unwrap()).await.1.unwrap();
    let sent = server.await.unwrap();
    // A handshake of TLS 1.x, and no key.
    assert_eq!(&sent[..2], [22, 3]);
    assert!(!sent.windows(KEY.len()).any(|bytes| bytes == KEY.as_bytes()));
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert!(error.message.starts_with(&format!("{address} was reached, but HTTPS failed; if it speaks HTTP alone,")), "{error}");
    // Where nothing listens, it is not TLS that failed.
    let error = call(&base.build().unwrap()).await.1.unwrap();
    assert_eq!(error.message, format!("{address} cannot be reached; check that the server runs there"));
}
