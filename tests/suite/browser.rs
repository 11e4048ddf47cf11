//! A headless Chromium for the tests of the HTML report, driven over a DevTools pipe: these tests need no Node.js.
//! `web/test/page.mjs` drives Chromium by Playwright, because that page's tests need downloads, workers and changed
//! responses.

#![allow(unreachable_pub, reason = "a module of the test program")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::command::program;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

/// The longest time for one answer of the browser, on a busy machine too.
const TIMEOUT: Duration = Duration::from_secs(300);

pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    calls: u64,
    /// The events of the page, in order.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

/// The program that the variable CHROMIUM names, or a Chromium on the PATH.
fn chromium() -> Option<String> {
    let named = std::env::var("CHROMIUM").ok();
    let known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(str::to_owned);
    let starts = |name: &String| {
        let output = program(name).args(&["--version"]).into_command().output();
        output.is_ok_and(|output| output.status.success())
    };
    named.into_iter().chain(known).find(starts)
}

impl Browser {
    /// Starts Chromium with an empty page. Prints that the test is skipped where there is none.
    pub fn start() -> Option<Self> {
        let Some(chromium) = chromium().filter(|_| cfg!(unix)) else {
            eprintln!("SKIPPED: Chromium is not installed: the page is not tested");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        // Chromium reads commands from file descriptor 3 and writes answers to 4.
        let program = program("sh")
            .args(&["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null", &chromium])
            .args(&["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
            // On a busy machine Chromium would refuse addresses that follow each other faster than a person's.
            .args(&["--no-first-run", "--remote-debugging-pipe", "--disable-ipc-flooding-protection"])
            .arg(format!("--user-data-dir={}", profile.path().display()));
        let mut child = program
            .into_command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take().expect("piped");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if sender.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let session = String::new();
        let mut browser = Self { child, input, messages, session, calls: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", target);
        browser.session = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a command and returns its result. Stores the events that arrive before it.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut command = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            command["sessionId"] = self.session.as_str().into();
        }
        self.input.write_all(format!("{command}\0").as_bytes()).expect("Chromium listens");
        loop {
            let message = self.messages.recv_timeout(TIMEOUT).expect("Chromium answers");
            if message["id"] == self.calls {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    /// Sets the width of the page and its colour scheme. Nothing moves by itself.
    pub fn resize(&mut self, width: u32, is_dark: bool) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let scheme = if is_dark { "dark" } else { "light" };
        let features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
        let media = json!({ "features": features.map(|(name, value)| json!({ "name": name, "value": value })) });
        self.call("Emulation.setEmulatedMedia", media);
        self.settle();
    }

    /// Opens a report's page, and waits until it is drawn.
    pub fn open(&mut self, path: &std::path::Path) {
        let path = path.canonicalize().expect("the page");
        self.open_link(&format!("file://{}", path.display()));
    }

    /// Opens a link to a report's page.
    pub fn open_link(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.messages.recv_timeout(TIMEOUT).expect("the page loads");
            self.events.push(message);
        }
        // The script is unpacked after the load event.
        self.value(
            "new Promise(done => { const look = () =>
               document.querySelector('#report > header') ? done() : setTimeout(look, 20); look(); })",
        );
        self.settle();
    }

    /// Waits until the page is drawn. Size observers act one frame later.
    pub fn settle(&mut self) {
        self.value(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
        );
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let call = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", call);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The value of an expression that is text.
    pub fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks into the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let center = self.value(&format!(
            "(() => {{ const found = document.querySelector({});
              found.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
              const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": center[0], "y": center[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
        self.settle();
    }

    /// Presses a key: `Tab`, `Enter`, `Escape`, or one that writes a character.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Backspace" => (8, ""),
            "Escape" => (27, ""),
            character => (u32::from(character.to_uppercase().as_bytes()[0]), character),
        };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let event = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", event);
        }
        self.settle();
    }

    /// Types a text key by key.
    pub fn type_text(&mut self, text: &str) {
        text.chars().for_each(|character| self.press(&character.to_string()));
    }

    /// A screenshot of an element, as PNG.
    pub fn screenshot(&mut self, selector: &str) -> Vec<u8> {
        let clip = self.value(&format!(
            "(() => {{ const box = document.querySelector({}).getBoundingClientRect();
              return {{ x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1 }};
            }})()",
            json!(selector)
        ));
        let answer = self.call("Page.captureScreenshot", json!({ "captureBeyondViewport": true, "clip": clip }));
        BASE64_STANDARD.decode(answer["data"].as_str().expect("a picture")).expect("base64")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
