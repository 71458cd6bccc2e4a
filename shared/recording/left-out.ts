/**
 * Tests and spec files of a request that were left out, because they are invalid. The response names them, and so does
 * the run, which cannot pass without them.
 */
import type { LeftOut } from '#shared/engine/http/lists.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';

export const leftOutTest = ({ sent, problem }: LeftOut, spec: string): string =>
  leftOutText(`The test${quoted(memberOf(sent, 'title'))} of ${spec}`, problem);

export const leftOutSpec = ({ sent, problem }: LeftOut): string =>
  leftOutText(`The spec file${quoted(memberOf(sent, 'spec'))}`, problem);

/** The number of tests that an invalid spec file brought along, at least one. */
export function testsOf({ sent }: LeftOut): number {
  const tests: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, 'tests') : undefined;
  return Array.isArray(tests) && tests.length > 0 ? tests.length : 1;
}

/** The text of a member of an invalid value, which may be a list of texts. */
function memberOf(sent: unknown, name: 'title' | 'spec'): string | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const value: unknown = Reflect.get(sent, name);
  const parts = Array.isArray(value) ? value : [value];
  return parts.every((part) => typeof part === 'string') ? parts.join(' › ') : undefined;
}

const leftOutText = (what: string, problem: string): string =>
  makeVisibleLine(`${what} was not recorded: ${problem}`)
    .slice(0, RECORDING_LIMITS.machineErrorCharacters)
    .toWellFormed();

const NAME_CHARACTERS = 200;

const quoted = (name: string | undefined): string =>
  name ? ` "${name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS)}…` : name}"` : '';

/** The texts that a response and a run contain. Further ones are counted. */
export function namedLeftOut(texts: readonly string[]): string[] {
  const named = texts.slice(0, RECORDING_LIMITS.leftOutNamed);
  const more = texts.length - named.length;
  return more > 0 ? [...named, `Further tests that were not recorded: ${more}`] : named;
}

/** Stores with the run what was left out. `source`: the request, which stores the same again if it is repeated. */
export const noteLeftOut = (
  services: Services,
  run: Run,
  {
    source,
    texts,
    job,
  }: { readonly source: string; readonly texts: readonly string[]; readonly job?: string | undefined },
): Promise<void> =>
  noteProblems(services, run, {
    source,
    job,
    problems: namedLeftOut(texts).map((message) => ({ kind: 'leftOutTest', message, file: null })),
  });
