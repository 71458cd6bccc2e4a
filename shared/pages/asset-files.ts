/** The static files of the pages. The build compiles them in. */
import { gunzipSync } from 'node:zlib';
import { notFound } from '#shared/engine/errors.ts';
import { acceptsGzip } from '#shared/engine/http/accept.ts';
import { bytes, type Content } from '#shared/engine/http/content.ts';

/** By path below `/assets/`. `content`: gzip, as base64. */
declare const BUILT_ASSETS: Readonly<Record<string, { readonly contentType: string; readonly content: string }>>;

/** Paths contain a digest or a version, so a browser may keep a file for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export function readAsset(path: string, acceptEncoding: string): Content {
  const asset = Object.hasOwn(BUILT_ASSETS, path) ? BUILT_ASSETS[path] : undefined;
  if (!asset) throw notFound('File');
  const compressed = Buffer.from(asset.content, 'base64');
  const headers = { 'Cache-Control': FOR_EVER, Vary: 'Accept-Encoding' };
  if (!acceptsGzip(acceptEncoding)) return bytes(gunzipSync(compressed), asset.contentType, { headers });
  return bytes(compressed, asset.contentType, { headers: { ...headers, 'Content-Encoding': 'gzip' } });
}
