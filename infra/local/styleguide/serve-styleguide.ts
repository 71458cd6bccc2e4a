/** Serves the style guide beside the service. It is no page of the service: AWS does not have it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import '#infra/build/jsx.ts';
import { assetPaths } from '#infra/build/assets.ts';

const THEMES = ['light', 'dark'];

export async function serveStyleguide({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  // Compiled here, after the import above taught Node to read it.
  const { styleguide } = await import('./styleguide.tsx');
  const asked = new URL(url, 'http://localhost').searchParams.get('theme') ?? '';
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  });
  response.end(styleguide(assetPaths()['rundown.css'] ?? '', THEMES.includes(asked) ? asked : 'system'));
}
