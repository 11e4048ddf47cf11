// A worker with calls that return promises.

/**
 * A worker that starts with the first call, and again with the first call after a failure. `failure` is the sentence
 * for a failed worker, `onMessage` gets messages that answer no call, `onFailure` gets the sentence of a failure, which
 * rejects all unanswered calls.
 */
export function startCore(failure, onMessage, onFailure) {
    const pending = new Map();
    let lastNumber = 0;
    let worker = null;

    function start() {
        const started = new Worker("worker.js", { type: "module" });
        const fail = (sentence) => {
            if (worker !== started) return;
            started.terminate();
            worker = null;
            const unanswered = [...pending.values()];
            pending.clear();
            unanswered.forEach(({ reject }) => reject(new Error(sentence)));
            onFailure(sentence);
        };
        started.addEventListener("message", ({ data }) => {
            if (worker !== started) return;
            if (data.fault !== undefined) return fail(`${failure} (${data.fault})`);
            if (data.number === undefined) return onMessage(data.what, data.value);
            const call = pending.get(data.number);
            pending.delete(data.number);
            if (data.error !== undefined) call.reject(new Error(data.error));
            else call.resolve(data.value);
        });
        started.addEventListener("error", (event) => {
            event.preventDefault();
            fail(
                event.message
                    ? `${failure} (${event.message})`
                    : "The page’s program could not be loaded: reload the page, or use a current browser.",
            );
        });
        return started;
    }

    return {
        call: (call, input) =>
            new Promise((resolve, reject) => {
                pending.set(++lastNumber, { resolve, reject });
                worker ??= start();
                worker.postMessage({ number: lastNumber, call, input });
            }),
    };
}
