// A worker as functions that answer later.

/**
 * A worker that starts with the first call, and anew with the first one after it broke down. `broken` says what breaking down means,
 * `tell` hears what the worker says without being asked, `fail` hears that it broke down; so does everyone who waits for an answer.
 */
export function startCore(broken, tell, fail) {
    const open = new Map();
    let numbers = 0;
    let worker = null;

    function start() {
        const mine = new Worker("worker.js", { type: "module" });
        const breakDown = (sentence) => {
            if (worker !== mine) return;
            mine.terminate();
            worker = null;
            const waiting = [...open.values()];
            open.clear();
            waiting.forEach(({ reject }) => reject(new Error(sentence)));
            fail(sentence);
        };
        mine.addEventListener("message", ({ data }) => {
            if (worker !== mine) return;
            if (data.fault !== undefined) return breakDown(`${broken} (${data.fault})`);
            if (data.number === undefined) return tell(data.what, data.value);
            const call = open.get(data.number);
            open.delete(data.number);
            if (data.error !== undefined) call.reject(new Error(data.error));
            else call.resolve(data.value);
        });
        mine.addEventListener("error", (event) => {
            event.preventDefault();
            breakDown(event.message ? `${broken} (${event.message})` : "The page’s program could not be loaded: reload the page, or use a current browser.");
        });
        return mine;
    }

    return {
        call: (call, given) => new Promise((resolve, reject) => {
            open.set(++numbers, { resolve, reject });
            worker ??= start();
            worker.postMessage({ number: numbers, call, given });
        }),
    };
}
