//! `replyfold play`: the program in a real terminal, keys in and screen out.

use crate::run::{LOG, fixture, replyfold};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static TERMINALS: AtomicU32 = AtomicU32::new(0);

/// A terminal of 80 × 24, in which a command of the shell runs.
struct Terminal {
    /// Its server, which no other terminal shares.
    server: String,
    dir: tempfile::TempDir,
}

impl Terminal {
    /// Runs the player; when it has ended, the shell tells how, and what the terminal is like.
    fn play(args: &str) -> Self {
        let play = format!("{} play {args}", env!("CARGO_BIN_EXE_replyfold"));
        Self::run(&format!("sh -c 'echo $$ > pid; exec {play}'"))
    }

    fn run(command: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = format!("replyfold-{}-{}", std::process::id(), TERMINALS.fetch_add(1, Ordering::Relaxed));
        let terminal = Self { server, dir };
        let script = format!("{command}; echo \"ended with $?\"; stty -a | grep -o -- '-*icanon'; cat");
        let at = terminal.dir.path().to_str().unwrap();
        terminal.tmux(&["new-session", "-d", "-s", "t", "-c", at, "-x", "80", "-y", "24", "sh", "-c", &script]);
        terminal
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = tmux(&self.server, args);
        assert!(output.status.success(), "tmux {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "t"], keys].concat());
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "t"])
    }

    /// Waits until the screen is so, or time is up.
    fn shows(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(Instant::now() < deadline, "the screen does not show {what}:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn has(&self, text: &str) -> String {
        self.shows(text, |screen| screen.contains(text))
    }

    /// The program has ended and left the terminal as it was.
    fn has_ended(&self, code: i32) {
        let screen = self.has("icanon");
        assert!(screen.starts_with(&format!("ended with {code}\nicanon\n")), "{screen}");
        assert_eq!(self.tmux(&["display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}"]), "0 1\n");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        tmux(&self.server, &["kill-server"]);
    }
}

fn tmux(server: &str, args: &[&str]) -> Output {
    let mut command = Command::new("tmux");
    command.args(["-u", "-L", server, "-f", "/dev/null"]).args(args).env_remove("TMUX").env("LC_ALL", "C.UTF-8");
    command.output().expect("this test needs tmux, a Debian package")
}

fn log() -> String {
    fixture("python/service/svc_tools_two_rounds.sse").to_str().unwrap().to_owned()
}

/// The row of the list that is marked, and how far the status line says the point is.
fn is_at(screen: &str, at: u64, records: u64) -> bool {
    screen.contains(&format!("  {at}/{records}  ")) && (at == 0 || screen.contains(&format!("│▶{at:>2} ")))
}

#[test]
fn keys_move_the_point_and_the_screen_shows_it() {
    let terminal = Terminal::play(&format!("{} --paused", log()));
    let at = |at| terminal.shows(&format!("point {at}"), |screen| is_at(screen, at, 38));
    let start = at(0);
    assert!(start.starts_with("no message yet"), "{start}");
    assert_eq!(start.lines().count(), 24);
    assert!(start.lines().all(|line| line.chars().count() <= 80));
    terminal.keys(&["Right", "Right", "l"]);
    at(3);
    terminal.keys(&["Left"]);
    at(2);
    terminal.keys(&["PageDown"]);
    at(24);
    terminal.keys(&["PageUp"]);
    at(2);
    terminal.keys(&["End"]);
    assert!(at(38).contains("Paris: 21°C, 晴"));
    terminal.keys(&["T"]);
    assert!(at(14).contains("● add()"));
    terminal.keys(&["T"]);
    at(4);
    terminal.keys(&["R"]);
    at(1);
    terminal.keys(&["r"]);
    at(30);
    terminal.keys(&["B"]);
    at(24);
    terminal.keys(&["Home"]);
    at(0);
    terminal.keys(&["2", "0", "G"]);
    assert!(at(20).contains("↳ running add c2 ▌open"));
    terminal.keys(&["/", "a", "g", "a", "i", "n"]);
    terminal.has("/again█");
    terminal.keys(&["Enter"]);
    at(35);
    terminal.keys(&["e"]);
    terminal.has("nothing fails after this point");
    terminal.keys(&["?"]);
    terminal.has("next, previous tool call");
    terminal.keys(&["Escape"]);
    terminal.shows("no help", |screen| !screen.contains("tool call"));
    terminal.keys(&["q"]);
    terminal.has_ended(0);
}

#[test]
fn it_plays_by_itself_to_the_end() {
    let terminal =
        Terminal::run(&format!("printf '%s' '{LOG}' > run.jsonl; {} play run.jsonl --speed 20", env!("CARGO_BIN_EXE_replyfold")));
    let end = terminal.has("5/5");
    assert!(end.contains("  Hello\n") || end.contains("  Hello  "), "{end}");
    assert!(end.contains("── completed · 4.0 s") && end.contains("run.jsonl"), "{end}");
    // Space plays it once more.
    terminal.keys(&["-", "-", "-", "-", "-", "-", "-", "-", "Space"]);
    terminal.has("▶ 0.1×");
    terminal.keys(&["Space"]);
    terminal.has("|| 0.1×");
    terminal.keys(&["C-c"]);
    terminal.has_ended(0);
}

#[test]
fn a_terminal_that_changes_its_size_is_filled_anew() {
    let terminal = Terminal::play(&format!("{} --paused --at 20", log()));
    terminal.shows("point 20", |screen| is_at(screen, 20, 38));
    for (width, height) in [("50", "16"), ("120", "40"), ("80", "24")] {
        terminal.tmux(&["resize-window", "-t", "t", "-x", width, "-y", height]);
        let wide = width != "50";
        let screen = terminal.shows(&format!("{width} × {height}"), |screen| {
            let is_filled = screen
                .lines()
                .nth(height.parse::<usize>().unwrap() - 1)
                .is_some_and(|line| line.contains("20/38") && line.ends_with("? help"));
            let status = screen.lines().last().unwrap_or_default();
            is_filled && status.chars().count() == width.parse::<usize>().unwrap() && screen.contains('│') == wide
        });
        assert!(screen.contains("● add(a=1, b=2)  pending"), "{screen}");
    }
}

#[test]
fn a_signal_gives_the_terminal_back_first() {
    let terminal = Terminal::play(&format!("{} --speed 0.01", log()));
    terminal.has("0.01×");
    let pid = std::fs::read_to_string(terminal.dir.path().join("pid")).unwrap();
    assert!(Command::new("sh").args(["-c", &format!("kill -TERM {}", pid.trim())]).status().unwrap().success());
    terminal.has_ended(0);
}

/// The terminal goes away: its window is closed, or the line to it is cut. The player must not outlive it.
#[test]
fn it_ends_with_its_terminal() {
    let play = format!("{} play {} --paused", env!("CARGO_BIN_EXE_replyfold"), log());
    // In a session of its own no signal tells it.
    for own in ["sh", "setsid -w sh"] {
        let terminal = Terminal::run(&format!("{own} -c 'echo $$ > pid; exec {play}'"));
        terminal.has("0/38");
        let pid = std::fs::read_to_string(terminal.dir.path().join("pid")).unwrap();
        let player = Player(pid.trim().to_owned());
        assert!(player.lives());
        tmux(&terminal.server, &["kill-server"]);
        let deadline = Instant::now() + Duration::from_secs(60);
        while player.lives() {
            assert!(Instant::now() < deadline, "it lives without a terminal ({own})");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A process, which does not outlive the test.
struct Player(String);

impl Player {
    fn lives(&self) -> bool {
        // A process that nobody has waited for yet is none.
        let state = std::fs::read_to_string(format!("/proc/{}/stat", self.0)).unwrap_or_default();
        state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        if self.lives() {
            _ = Command::new("sh").args(["-c", &format!("kill -KILL {}", self.0)]).status();
        }
    }
}

#[test]
fn standard_input_is_played_with_the_keys_of_the_terminal() {
    let coarse = r#"{"type":"thinking","content":"hm"}\n{"type":"text","content":"Done"}\n{"type":"complete"}\n"#;
    let terminal = Terminal::run(&format!("printf '{coarse}' | {} play - --paused", env!("CARGO_BIN_EXE_replyfold")));
    terminal.has("standard input");
    terminal.keys(&["G"]);
    terminal.has("  Done");
    terminal.keys(&["q"]);
    terminal.has_ended(0);
}

#[test]
fn what_a_log_says_steers_no_terminal() {
    let poison = "\\u001b]0;stolen\\u0007\\u001b[2J\\u001b[?1049lHello";
    let terminal = Terminal::run(&format!(
        "printf '%s' '{}' > run.jsonl; {} play run.jsonl --paused",
        LOG.replace("Hello", poison).replace("Friday", poison),
        env!("CARGO_BIN_EXE_replyfold")
    ));
    terminal.has("0/5");
    terminal.keys(&["G"]);
    let screen = terminal.has("5/5");
    assert!(screen.contains("�]0;stolen��[2J�[?1049lHello"), "{screen}");
    assert_eq!(terminal.tmux(&["display-message", "-p", "-t", "t", "#{alternate_on}"]), "1\n");
    assert!(!terminal.tmux(&["display-message", "-p", "-t", "t", "#{pane_title}"]).contains("stolen"));
}

#[test]
fn where_nothing_can_be_played_the_reason_is_told() {
    let ran = replyfold(&["play", &log()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("play needs a terminal, and standard output is none; `replyfold replay` prints a log"), "{}", ran.stderr);
    for speed in ["0", "nan", "-1", "1e9", "fast"] {
        let ran = replyfold(&["play", &log(), &format!("--speed={speed}")]);
        assert!(ran.code == 2 && ran.stderr.contains("not a number from 0.01 to 1000"), "{}", ran.stderr);
    }
    let missing = Path::new("no/such/log.jsonl");
    let terminal = Terminal::play(missing.to_str().unwrap());
    let screen = terminal.has("ended with 2");
    assert!(screen.starts_with("replyfold: no/such/log.jsonl: cannot open the log: "), "{screen}");
}
