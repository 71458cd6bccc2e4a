/** The attachments of a report. */
import { inMemory } from './byte-source.ts';
import type { FoundFile } from './found.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { AttachmentName, ParserInput } from './parser-input.ts';

/**
 * The file of an attachment. `body`: its content as base64. If the body is empty, the file is next to the report in its
 * archive.
 */
export function attachedFile(of: AttachmentName, body: string, fileAt: ParserInput['fileAt']): FoundFile | undefined {
  if (body === '') return fileAt(of);
  const bytes = Buffer.from(body, 'base64');
  return { ...fileNames(of), size: bytes.length, held: bytes.length, read: inMemory(bytes).stream };
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;.*)?$/;
const MEDIA_TYPE_CHARACTERS = 256;

/** Returns a valid name and media type for a file. Invalid ones are replaced. */
export const fileNames = ({ name, contentType }: Pick<FoundFile, 'name' | 'contentType'>) => ({
  name: name.slice(0, REPORT_LIMITS.fileNameCharacters).toWellFormed() || 'attachment',
  contentType:
    contentType.length <= MEDIA_TYPE_CHARACTERS && MEDIA_TYPE.test(contentType)
      ? contentType
      : 'application/octet-stream',
});

/** The kind of a file according to its media type. A zip file is a trace only if its name is `trace`. */
export function fileTypeOf({
  name,
  contentType,
}: Pick<FoundFile, 'name' | 'contentType'>): 'attachment' | 'screenshot' | 'trace' | 'video' {
  if (name === 'trace' && contentType === 'application/zip') return 'trace';
  if (contentType.startsWith('image/')) return 'screenshot';
  return contentType.startsWith('video/') ? 'video' : 'attachment';
}
