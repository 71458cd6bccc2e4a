/**
 * Reads what was recorded for each release: a data folder with the API answers for its data, and the interfaces that
 * clients depend on.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { LocalFile } from '#infra/demo/demo-organization.ts';
import { WebhookBody } from '#shared/webhooks/body-wire.ts';
import { authorized, goodRequest } from '#test/engine/http/sample-requests.ts';
import type { World } from '#test/engine/http/sample-shapes.ts';
import { send } from '#test/engine/http/wire.ts';
import { LIST } from '#test/infra/stateful-resources.ts';
import { withoutTexts } from './broken.ts';

export const RELEASES = join(import.meta.dirname, '../samples/releases');

/** The folder names of the releases, from the oldest to the newest version. */
export const releases = async (): Promise<string[]> =>
  (await readdir(RELEASES)).sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));

const run = promisify(execFile);

export const pack = async (folder: string, file: string): Promise<unknown> =>
  run('tar', ['--create', '--gzip', '--file', file, '--directory', folder, '.']);

export async function unpack(file: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run('tar', ['--extract', '--file', file, '--directory', folder]);
}

/** Operations that return documents about the service. They are checked as interfaces rather than as data. */
const NO_DATA = new Set(['getOpenapi', 'getHealth', 'getProtectedResource', 'getMcpProtectedResource']);
/** Operations that need the secret of a share, which must not be recorded. */
const NEEDS_SECRET = new Set(['getShared']);

/** The answers of read operations that return data, by operation id, without values that differ between services. */
export async function readAll(origin: string, world: World): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const { declaration } of await loadDeclarations()) {
    if (declaration.method !== 'GET' || NO_DATA.has(declaration.operationId)) continue;
    if (NEEDS_SECRET.has(declaration.operationId)) continue;
    // These operations pass on what an issue tracker answers. The tracker of the recorded data no longer exists.
    if (declaration.access.trackers !== undefined) continue;
    const request = authorized(declaration, goodRequest(declaration, world), world.keys.readOnly);
    const { status, body } = await send(origin, request);
    answers[declaration.operationId] = { status, body: JSON.parse(withoutPlace(body.toString())) };
  }
  return answers;
}

/** Replaces what differs between two services: their origins and the signatures of links to files. */
const withoutPlace = (text: string): string =>
  text
    .replaceAll(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, '<origin>')
    .replaceAll(/\?[^"]*X-Amz-[^"]*/g, '?<signature>');

const Recorded = z.object({ world: z.record(z.string(), z.string()), answers: z.record(z.string(), z.unknown()) });

export interface Answers {
  readonly organizationId: string;
  readonly world: Omit<World, 'keys'>;
  readonly answers: Record<string, unknown>;
}

export const writeJson = (file: string, value: unknown): Promise<void> => writeFile(file, `${JSON.stringify(value)}\n`);

export const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8'));

export const readAnswers = async (version: string): Promise<Answers> => {
  const recorded = await readJson(join(RELEASES, version, 'answers.json'));
  Recorded.parse(recorded);
  return recorded;
};

/** The interfaces of this version, without texts for people. `openapi` is the OpenAPI document. */
export async function interfacesOf(openapi: object) {
  const webhookBody = z.toJSONSchema(WebhookBody, { io: 'output' });
  const localFile = z.toJSONSchema(LocalFile, { io: 'output' });
  const described = { openapi, webhookBody, localFile, statefulResources: await readJson(LIST) };
  return withoutTexts(JSON.parse(JSON.stringify(described)));
}
