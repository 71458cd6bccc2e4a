/**
 * A server on another origin. Its pages and scripts call the function `ran` with their own name, except the pages that
 * `show` creates. Pages of any origin may read its responses.
 */
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';

export interface Stranger {
  readonly origin: string;
  /** The requested paths, except those of pages created by `show`. */
  readonly asked: readonly string[];
  /** Serves a page with this content, and returns its address. */
  readonly show: (html: string) => string;
}

const HTML = 'text/html; charset=utf-8';

/** Starts the server, which stops at the end of the test. */
export async function startStranger(): Promise<Stranger> {
  const asked: string[] = [];
  const pages: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const page = pages[Number(name.split('pages/')[1])];
    if (page === undefined) asked.push(name);
    const isScript = name.endsWith('.js');
    const call = `ran('${name.replace(/\.js$/, '')}')`;
    const type = isScript ? 'text/javascript' : HTML;
    response.writeHead(200, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*' });
    response.end(page ?? (isScript ? call : `<script>${call}</script>`));
  });
  await bind(server, 0);
  onTestFinished(() => closeServer(server));
  const origin = `http://${LOOPBACK}:${getPort(server)}`;
  const show = (html: string) => `${origin}/pages/${pages.push(html) - 1}`;
  return { origin, asked, show };
}
