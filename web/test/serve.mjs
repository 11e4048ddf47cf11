// A server for the built page.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".csv": "text/csv",
};

/** Serves a folder on a free port. Returns the address and a function that stops the server. */
export async function serve(folder) {
    const server = createServer((request, response) => {
        const path = normalize(decodeURIComponent(new URL(request.url, "http://page").pathname));
        const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
        if (!file.startsWith(folder) || !existsSync(file) || statSync(file).isDirectory())
            return response.writeHead(404).end();
        response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
        createReadStream(file).pipe(response);
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    return { address: `http://localhost:${server.address().port}/`, close: () => server.close() };
}
