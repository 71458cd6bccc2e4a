/** The attachments of a test in Vitest: of its annotations, and of its comparisons of screenshots. */
import { parse, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestAnnotation, TestAttachment } from 'vitest';
import type { TestCase } from 'vitest/node';
import type { TestFile } from './messages.ts';

/** Vitest has had annotations since 3.2. */
export const listAnnotations = (test: TestCase): readonly TestAnnotation[] => test.annotations?.() ?? [];

type NamedAttachments = readonly { readonly attachment: TestAttachment; readonly name: string }[];

/** Vitest has had artifacts since 4. */
function listArtifacts(test: TestCase): NamedAttachments {
  const screenshots = listScreenshotNames(test);
  let comparisons = 0;
  return (test.artifacts?.() ?? []).flatMap((artifact): NamedAttachments => {
    const { type, attachments = [] } = artifact;
    if (artifact.type !== 'internal:toMatchScreenshot')
      return attachments.map((attachment) => ({ attachment, name: type }));
    const screenshot = screenshots[comparisons] ?? `screenshot-${comparisons + 1}`;
    comparisons += 1;
    // As in Playwright, so that pages show the pictures side by side.
    return artifact.attachments.map((attachment) => {
      const part = attachment.name === 'reference' ? 'expected' : attachment.name;
      return { attachment, name: `${screenshot}-${part}.${attachment.contentType?.split('/')[1] ?? 'png'}` };
    });
  });
}

/** The names of the screenshots that differ. Only the errors name them. */
const listScreenshotNames = (test: TestCase): readonly string[] =>
  (test.result().errors ?? []).flatMap(({ message }) => {
    const lines = stripVTControlCharacters(String(message)).split('\n');
    const path = lines[lines.indexOf('Reference screenshot:') + 1]?.trim();
    return lines.includes('Reference screenshot:') && path ? parse(path.replaceAll('\\', '/')).name : [];
  });

export function listFiles(test: TestCase, testId: string, attempt: number): TestFile[] {
  const attachments = [
    ...listAnnotations(test).flatMap(({ attachment, message }) => (attachment ? { attachment, name: message } : [])),
    ...listArtifacts(test),
  ];
  return attachments.flatMap(({ attachment, name }): TestFile[] => {
    const { path, body, contentType = 'application/octet-stream' } = attachment;
    const type = contentType.startsWith('image/') ? 'screenshot' : 'attachment';
    const file = { testId, attempt, type, name, contentType } as const;
    if (body !== undefined) {
      const isPlain = 'bodyEncoding' in attachment && attachment.bodyEncoding === 'utf-8';
      const bytes = typeof body === 'string' ? Buffer.from(body, isPlain ? 'utf8' : 'base64') : body;
      return [{ ...file, content: { bytes } }];
    }
    if (path === undefined || /^https?:/.test(path)) return [];
    const absolute = resolve(test.project.config.root, path);
    return [{ ...file, fileName: absolute.split(/[\\/]/).at(-1), content: { path: absolute } }];
  });
}
