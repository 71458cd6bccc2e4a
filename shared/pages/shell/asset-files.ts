/** The static files of the pages, which the build embeds in the bundle. */
import { gunzipSync } from 'node:zlib';
import { notFound } from '#shared/engine/errors.ts';
import { acceptsGzip } from '#shared/engine/http/accept.ts';
import { type Content, makeBytesContent } from '#shared/engine/http/content.ts';
import type { Services } from '#shared/services.ts';
import { makeTraceViewerHeaders } from './trace-viewer.ts';

interface Asset {
  readonly contentType: string;
  /** Gzip, as base64. */
  readonly content: string;
  readonly isOfTraceViewer: boolean;
}

/** The files, with their paths below `/assets/` as keys. */
declare const BUILT_ASSETS: Readonly<Record<string, Asset>>;

/** The paths of the files contain a digest or a version, so browsers may cache them forever. */
const FOR_EVER = 'public, max-age=31536000, immutable';

export function readAsset({ artifacts }: Pick<Services, 'artifacts'>, path: string, acceptEncoding: string): Content {
  const asset = Object.hasOwn(BUILT_ASSETS, path) ? BUILT_ASSETS[path] : undefined;
  if (!asset) throw notFound('File');
  const gzipBytes = Buffer.from(asset.content, 'base64');
  const headers = {
    'Cache-Control': FOR_EVER,
    Vary: 'Accept-Encoding',
    ...(asset.isOfTraceViewer ? makeTraceViewerHeaders(artifacts.origin) : {}),
  };
  if (!acceptsGzip(acceptEncoding)) return makeBytesContent(gunzipSync(gzipBytes), asset.contentType, { headers });
  return makeBytesContent(gzipBytes, asset.contentType, { headers: { ...headers, 'Content-Encoding': 'gzip' } });
}
