/** The files of an attempt as signed links. */
import type { Assets } from '#shared/context/context-wire.ts';
import { type Block, bullets, linked, type Part, paragraph, quoted } from './nodes.ts';
import { assetCounts } from './phrases.ts';

export function assetBlocks(assets: Assets): Block[] {
  const counts = assetCounts(assets);
  if (counts === undefined) return [];
  const { traces, screenshots, videos, attachments, totals } = assets;
  const lines: Part[][] = [
    ...traces.map(({ name, url }) => ['Trace ', linked(name, url)]),
    ...screenshots.map(({ name, url }) => ['Screenshot ', linked(name, url)]),
    ...videos.map(({ name, url }) => ['Video ', linked(name, url)]),
    ...attachments.map(({ name, filename, contentType, url }) => [
      'Attachment ',
      linked(name, url),
      ...(filename === null ? [] : [', file ', quoted(filename)]),
      ', ',
      quoted(contentType),
    ]),
  ];
  const all = totals.traces + totals.screenshots + totals.videos + totals.attachments;
  const listed = lines.length < all ? `, of which ${lines.length} are listed` : '';
  const total = paragraph(`In total ${counts}${listed}. The links work for a short time and need no credential.`);
  return lines.length > 0 ? [total, bullets(lines)] : [total];
}
