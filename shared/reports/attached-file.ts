/** The attachments of a report. */
import { extname } from 'node:path';
import { makeMemorySource } from './byte-source.ts';
import type { FoundFile } from './found.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { AttachmentName, ParserInput } from './parser-input.ts';

/** `body`: its content as base64. If the body is empty, the file is next to the report in its archive. */
export function findAttachedFile(
  attachment: AttachmentName,
  body: string,
  fileAt: ParserInput['fileAt'],
): FoundFile | undefined {
  if (body === '') return fileAt(attachment);
  const bytes = Buffer.from(body, 'base64');
  return {
    ...normalizeNameAndType(attachment),
    size: bytes.length,
    held: bytes.length,
    read: makeMemorySource(bytes).stream,
  };
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;.*)?$/;
const MEDIA_TYPE_CHARACTERS = 256;

/** Replaces an invalid name or media type. */
export const normalizeNameAndType = ({ name, contentType }: Pick<FoundFile, 'name' | 'contentType'>) => ({
  name: name.slice(0, REPORT_LIMITS.fileNameCharacters).toWellFormed() || 'attachment',
  contentType:
    contentType.length <= MEDIA_TYPE_CHARACTERS && MEDIA_TYPE.test(contentType)
      ? contentType
      : 'application/octet-stream',
});

export function detectFileType({
  name,
  contentType,
}: Pick<FoundFile, 'name' | 'contentType'>): 'attachment' | 'screenshot' | 'trace' | 'video' {
  if (name === 'trace' && contentType === 'application/zip') return 'trace';
  if (contentType.startsWith('image/')) return 'screenshot';
  return contentType.startsWith('video/') ? 'video' : 'attachment';
}

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

/** From the ending of the name, for reports that do not say what a file is. */
export const guessMediaType = (name: string): string => MEDIA_TYPES.get(extname(name).toLowerCase()) ?? '';
