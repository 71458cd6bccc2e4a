/** Lines such as `[[ATTACHMENT|path]]`, by which writers name files in the output of a test. */
import { extname } from 'node:path';
import type { FoundFile } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';

const LINE = /^[ \t]*\[\[ATTACHMENT\|(.*?)\]\][ \t]*\r?$/gm;

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webm', 'video/webm'],
  ['.mp4', 'video/mp4'],
  ['.zip', 'application/zip'],
  ['.md', 'text/markdown'],
  ['.txt', 'text/plain'],
  ['.log', 'text/plain'],
  ['.html', 'text/html'],
  ['.json', 'application/json'],
]);

export const withoutAttachments = (output: string): string => output.replaceAll(LINE, '');

/** The named files that lie beside the report in its archive. */
export function attachmentsIn(output: string, fileAt: ParserInput['fileAt']): FoundFile[] {
  if (!output.includes('[[ATTACHMENT|')) return [];
  const paths = [...output.matchAll(LINE)].map(([, path = '']) => path);
  // One more than a report keeps, so that its sender is told.
  return paths.slice(0, REPORT_LIMITS.filesPerReport + 1).flatMap((path) => {
    const name = path.split(/[\\/]/).at(-1) ?? path;
    const contentType = MEDIA_TYPES.get(extname(name).toLowerCase()) ?? '';
    return fileAt({ name, contentType, path }) ?? [];
  });
}
