/** The picture of a failed test, for models that can see. */

import { parseContextTarget } from '#shared/context/query.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { type Artifact, getObjectKey } from '#shared/model/results/artifact.ts';
import { listTestFiles } from '#shared/results/instances/test-files.ts';
import type { Services } from '#shared/services.ts';
import { MCP_LIMITS } from './limits.ts';
import type { Sight } from './tool.ts';

/** Reads one picture: the last screenshot of the attempt, or else the difference of an image comparison. */
export async function readScreenshot(services: Services, organizationId: string, query: ContextQuery): Promise<Sight> {
  const target = parseContextTarget(query);
  if (target.level !== 'test')
    return { note: 'A screenshot is of one test. Pass `instance_id` and `test_id` together with `screenshot`.' };
  const files = await listTestFiles(services, { organizationId, ...target });
  const picture = pickPicture(
    files.filter(({ attempt = 0 }) => query.attempt === undefined || attempt === query.attempt),
  );
  if (!picture) return { note: 'No picture is stored for this test.' };
  const { bytes = 0, name } = picture;
  if (bytes > MCP_LIMITS.pictureBytes)
    return { note: `The picture ${JSON.stringify(name)} has ${bytes} bytes, too many to show. Its link is above.` };
  const content = await services.artifacts.range(getObjectKey(picture), 0, bytes);
  const mimeType = content && detectImage(content);
  return content && mimeType
    ? { mimeType, data: Buffer.from(content).toString('base64') }
    : { note: `The picture ${JSON.stringify(name)} is missing, or no PNG, JPEG, WebP or GIF.` };
}

function pickPicture(files: readonly Artifact[]): Artifact | undefined {
  const storedFiles = files
    .filter(({ bytes }) => bytes !== undefined && bytes > 0)
    .toSorted((one, other) => (one.attempt ?? 0) - (other.attempt ?? 0) || one.createdAt - other.createdAt);
  const images = storedFiles.filter(({ contentType }) => contentType.startsWith('image/'));
  return (
    storedFiles.findLast(({ type }) => type === 'screenshot') ??
    images.findLast(({ name }) => name.includes('diff')) ??
    images.at(-1)
  );
}

const SIGNATURES = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/webp': /^52494646.{8}57454250/,
  'image/gif': /^47494638/,
} as const;

/** By its first bytes, because senders state the content type. */
function detectImage(content: Uint8Array): keyof typeof SIGNATURES | undefined {
  const beginning = Buffer.from(content.subarray(0, 12)).toString('hex');
  const types = Object.keys(SIGNATURES) as (keyof typeof SIGNATURES)[];
  return types.find((type) => SIGNATURES[type].test(beginning));
}
