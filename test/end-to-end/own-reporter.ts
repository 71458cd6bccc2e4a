/**
 * Compares two runs of one execution: the published reporter recorded one of them, and our own reporter recorded the
 * other. Everything that the API returns must be equal, apart from a fixed list of differences.
 */
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';
import { read } from '#test/harness/recording-readback.ts';
import type { Tenant } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

type Recorder = Pick<Tenant, 'api' | 'projectId'>;
// Untyped, because the comparison covers everything that the API returns.
type Body = Awaited<ReturnType<typeof read>>;

/** Known differences: the reason, and the members that differ, as paths without the positions in lists. */
const REASONS: readonly (readonly [reason: string, members: RegExp])[] = [
  ['Each run has its own build id', /^(run\.meta|context)\.ciBuildId$/],
  ['Each machine has its own id', /\.machineId$|\.claimList\./],
  [
    'The requests arrived at different times',
    /^run\.(groups\.)?durationMs$|^run\.createdAt$|\.(createdAt|claimedAt|completedAt)$/,
  ],
  ['The published reporter adds its own lines to the output of a spec file', /^instance\.results\.stdout(\.|$)/],
  ['Each reporter names its own version', /framework\.clientVersion$/],
  ['Our reporter names files of errors relative to the repository', /\.errors?\.location\.file$/],
  ['Each file has its own id and links', /\.(id|url|[a-z]+Id|[a-zA-Z]*(Url|URL))$/],
];

/** The environment variables with which sample suites use our Playwright reporter and fixtures. */
export async function ownReporter(
  { origin, projectId, keys }: Pick<Tenant, 'projectId' | 'keys'> & { readonly origin: string },
  ciBuildId: string,
): Promise<Readonly<Record<string, string>>> {
  const client = await findClient();
  return {
    RUNDOWN_REPORTER: join(client, 'playwright.js'),
    RUNDOWN_FIXTURES: join(client, 'playwright-fixtures.js'),
    RUNDOWN_DSN: origin.replace('://', `://${keys.readWrite}@`).concat(`/${projectId}`),
    RUNDOWN_CI_BUILD_ID: ciBuildId,
    RUNDOWN_TAGS: 'nightly',
    RUNDOWN_SPOOL: join(await temporaryFolder(), 'spool'),
  };
}

/** Returns the differences that have no known reason, and the reasons that explain no difference. */
export async function differencesBetween(recorder: Recorder, published: string, own: string) {
  const [one, other] = await Promise.all([factsOf(recorder, published), factsOf(recorder, own)]);
  const unexplained: string[] = [];
  const seen = new Set<string>();
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    if (one.get(name) === other.get(name)) continue;
    const member = name.replace(/^.*? \| /, '').replaceAll(/\.\d+(?=\.|$)/g, '');
    const reason = REASONS.find(([, members]) => members.test(member));
    if (reason) seen.add(reason[0]);
    else unexplained.push(`${name}: ${one.get(name)} published, ${other.get(name)} own`);
  }
  return { unexplained, unseen: REASONS.map(([reason]) => reason).filter((reason) => !seen.has(reason)) };
}

/** Every value that the API returns about a run. Ids begin with the id of their run, which `<run>` replaces. */
async function factsOf({ api, projectId }: Recorder, ciBuildId: string): Promise<Map<string, string>> {
  const { runId } = await read(api, `/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}`);
  const facts = new Map<string, string>();
  const add = (of: string, path: string, value: Body): void => {
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) add(of, `${path}.${index}`, element);
      facts.set(`${of} | ${path}.length`, String(value.length));
    } else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) add(of, `${path}.${name}`, inner);
    else facts.set(`${of} | ${path}`, JSON.stringify(value ?? null).replaceAll(runId, '<run>'));
  };
  const run = await read(api, `/runs/${runId}`);
  const bySpec = (a: Body, b: Body) => `${a.groupId} ${a.spec}`.localeCompare(`${b.groupId} ${b.spec}`);
  add('', 'run', { ...run, specs: [...run.specs].sort(bySpec) });
  for (const { instanceId, groupId, spec } of run.specs) {
    const { results, ...instance } = await read(api, `/instances/${instanceId}`);
    const sorted = Object.fromEntries(
      Object.entries(results).map(([name, value]) => [name, Array.isArray(value) ? [...value].sort(byName) : value]),
    );
    add(`${groupId} ${spec}`, 'instance', { ...instance, results: sorted });
  }
  for (const format of ['json', 'md']) {
    const { status, body } = await api.get(`/context?run_id=${runId}&detail=default&limit=50&format=${format}`);
    if (status !== 200)
      throw new Error(`The request for the failure context returned ${status}: ${JSON.stringify(body)}`);
    const build = `ciBuildId: \`${ciBuildId}\``;
    add(
      format,
      'context',
      format === 'json' ? body.data : body.replace(build, 'ciBuildId').replaceAll(`${PROJECT}/`, ''),
    );
  }
  return facts;
}

/** Compares elements of lists for sorting, because files arrive in any order. */
const byName = (one: Body, other: Body): number => nameOf(one).localeCompare(nameOf(other));
const nameOf = ({ testId, testAttemptIndex, attempt, name, title }: Body): string =>
  JSON.stringify([testId, testAttemptIndex, attempt, name, title]);
