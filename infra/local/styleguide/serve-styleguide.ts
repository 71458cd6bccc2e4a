/** Serves the style guide of the pages. It is not part of the service, so a deployment on AWS does not have it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import '#infra/build/jsx.ts';
import { describeStyleSheets } from '#infra/build/assets.ts';

const THEMES = ['light', 'dark'];

export async function serveStyleguide({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  // Imported here and not at the top of the file, because Node can read `.tsx` files only after jsx.ts has been
  // imported.
  const { renderStyleguide } = await import('./styleguide.tsx');
  const theme = new URL(url, 'http://localhost').searchParams.get('theme') ?? '';
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  });
  const paths = describeStyleSheets().map(({ path }) => path);
  response.end(renderStyleguide(paths, THEMES.includes(theme) ? theme : 'system'));
}
