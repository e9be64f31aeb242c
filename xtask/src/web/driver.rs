//! As much of the WebDriver protocol as one page needs: JSON over HTTP to a chromedriver of our own.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Nothing here takes longer, browser start included.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser without a window. Both processes end with this value.
pub(crate) struct Driver {
    child: Child,
    /// Kept open, so that the driver can go on writing.
    _stdout: BufReader<ChildStdout>,
    port: u16,
    session: String,
}

/// A key on the keyboard.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    Home,
    Right,
}

impl Key {
    /// The character that stands for it in the protocol.
    fn code(self) -> char {
        match self {
            Self::Home => '\u{e011}',
            Self::Right => '\u{e014}',
        }
    }
}

impl Driver {
    /// Starts the driver on a free port, and a browser with an empty profile in it.
    pub(crate) fn start(profile: &str) -> Result<Self, String> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|err| format!("chromedriver did not start: {err}; on Debian, install the packages chromium and chromium-driver"))?;
        let mut stdout = BufReader::new(child.stdout.take().ok_or("chromedriver has no output")?);
        let port = port(&mut stdout);
        let mut driver = Self { child, _stdout: stdout, port: 0, session: String::new() };
        driver.port = port?;
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // A phone's, so that a page which is too wide shows.
            "--window-size=500,800",
            &format!("--user-data-dir={profile}"),
        ];
        let options = json!({ "capabilities": { "alwaysMatch": { "browserName": "chrome", "goog:chromeOptions": { "args": args } } } });
        let session = driver.call("/session", &options)?;
        driver.session = session["sessionId"].as_str().ok_or("chromedriver gave no session")?.to_owned();
        Ok(driver)
    }

    pub(crate) fn open(&mut self, url: &str) -> Result<(), String> {
        self.ask("url", &json!({ "url": url })).map(drop)
    }

    /// The element that a selector finds.
    pub(crate) fn find(&mut self, selector: &str) -> Result<String, String> {
        let found = self.ask("element", &json!({ "using": "css selector", "value": selector }))?;
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str);
        id.map(str::to_owned).ok_or_else(|| format!("the page has no {selector}"))
    }

    pub(crate) fn press(&mut self, element: &str, keys: &[Key]) -> Result<(), String> {
        let text: String = keys.iter().map(|key| key.code()).collect();
        self.ask(&format!("element/{element}/value"), &json!({ "text": text })).map(drop)
    }

    /// What a script in the page returns.
    pub(crate) fn run(&mut self, script: &str) -> Result<Value, String> {
        self.ask("execute/sync", &json!({ "script": script, "args": [] }))
    }

    fn ask(&self, command: &str, body: &Value) -> Result<Value, String> {
        self.call(&format!("/session/{}/{command}", self.session), body)
    }

    fn call(&self, path: &str, body: &Value) -> Result<Value, String> {
        let body = body.to_string();
        self.http(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        ))
    }

    fn http(&self, request: &str) -> Result<Value, String> {
        let answer = exchange(self.port, request).map_err(|err| format!("chromedriver does not answer: {err}"))?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|err| format!("chromedriver gave no JSON: {err}"))?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("the browser: {error}: {}", answer["value"]["message"].as_str().unwrap_or_default())),
            None => Ok(answer["value"].clone()),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser ends with its session; a driver that is gone has none.
        let _ = self.http(&format!("DELETE /session/{} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", self.session, self.port));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port that the driver chose: the number at the end of the line that says so.
fn port(stdout: &mut impl BufRead) -> Result<u16, String> {
    for line in stdout.lines() {
        let line = line.map_err(|err| err.to_string())?;
        // The first line says " on port 0" as it was told.
        if line.contains("started successfully")
            && let Some((_, port)) = line.trim_end_matches('.').rsplit_once(" on port ")
        {
            return port.parse().map_err(|_| format!("chromedriver names no port: {line}"));
        }
    }
    Err("chromedriver ended before it listened".to_owned())
}

/// Sends a request; gives the body of the answer.
fn exchange(port: u16, request: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        let read = reader.read_line(&mut line)?;
        if read == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((key, value)) = line.split_once(':')
            && key.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}
