// The progress of a run and the time that is left.

import { byId } from "./element.js";

export function startProgress() {
    /** Epochs of all cases, those that have started, those before the current one, and those with rows. */
    let epochs = 0;
    let started = 0;
    let done = 0;
    let finished = 0;
    let start = 0;
    /** Milliseconds that the tab was hidden in total, and the time since which it is hidden now. */
    let hidden = 0;
    let hiddenSince = null;

    /** The time left, from the time of the finished epochs. */
    function left() {
        if (hiddenSince !== null) return "paused while the tab is hidden";
        const percent = `${Math.floor((100 * done) / Math.max(1, epochs))} %`;
        if (done < 3) return percent;
        const seconds = (((performance.now() - start - hidden) / done) * (epochs - done)) / 1000;
        const text = seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
        return `${percent} · about ${text} left`;
    }

    function draw() {
        byId("bar").max = Math.max(1, epochs);
        byId("bar").value = done;
        byId("left").textContent = left();
    }

    /** Announces a sentence to screen readers. */
    const announce = (sentence) => {
        byId("announcement").textContent = sentence;
    };

    return {
        show: (sentence) => {
            byId("case").textContent = sentence;
            announce(sentence);
        },
        begin(count) {
            [epochs, started, done, finished, start, hidden] = [count, 0, 0, 0, performance.now(), 0];
            byId("progress").hidden = false;
            byId("case").textContent = "Testing the clock …";
            announce(`Running ${count} cases.`);
            draw();
        },
        /** So many more epochs are expected. */
        expect(count) {
            epochs = Math.max(finished + count, started + 1);
            draw();
        },
        finish() {
            finished++;
        },
        start(name) {
            byId("case").textContent = name;
            [done, started] = [started, started + 1];
            epochs = Math.max(epochs, started);
            // Ten announcements per run: more would disturb.
            if (done > 0 && done % Math.ceil(epochs / 10) === 0) announce(left());
            draw();
        },
        pause(isHidden) {
            if (isHidden) hiddenSince ??= performance.now();
            else if (hiddenSince !== null) {
                hidden += performance.now() - hiddenSince;
                hiddenSince = null;
            }
            draw();
        },
        end(sentence) {
            byId("case").textContent = sentence;
            byId("left").textContent = "";
            byId("bar").value = byId("bar").max;
            announce(sentence);
        },
    };
}
