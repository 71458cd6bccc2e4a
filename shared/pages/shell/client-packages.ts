/** Serves the npm packages of the client, which the build embeds in the bundle. */
import { type Content, makeBytesContent, makeTextContent, redirect } from '#shared/engine/http/content.ts';
import type { Services } from '#shared/services.ts';
import { buildClientUrl, CLIENT_FILE } from './client-path.ts';

/** The packed npm packages as base64, by version. */
declare const BUILT_CLIENTS: Readonly<Record<string, string>>;

/** `path` is the path below `/client/`. */
export function readClientPackage({ origin }: Pick<Services, 'origin'>, path: string): Content {
  if (path === CLIENT_FILE)
    return redirect(buildClientUrl(origin), { statusCode: 302, headers: { 'Cache-Control': 'no-cache' } });
  const [version = '', file, ...others] = path.split('/');
  const content = Object.hasOwn(BUILT_CLIENTS, version) ? BUILT_CLIENTS[version] : undefined;
  if (content === undefined || file !== CLIENT_FILE || others.length > 0) {
    const urls = Object.keys(BUILT_CLIENTS).map((knownVersion) => buildClientUrl(origin, knownVersion));
    // A text instead of an error page, because people see it in a terminal.
    return makeTextContent(
      ['There is no such file. This service has these versions of its client:', ...urls, ''].join('\n'),
      { statusCode: 404 },
    );
  }
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' };
  return makeBytesContent(Buffer.from(content, 'base64'), 'application/gzip', { headers });
}
