/** Organizations with recorded data, which receive the sample requests of all operations. */
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { authorized, goodRequest, sampleOf, sampleWorld, takesKeys } from './sample-requests.ts';
import type { World } from './sample-shapes.ts';
import { send, type WireAnswer, type WireRequest } from './wire.ts';

const changing = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ method }) => method !== 'GET');

export interface Stage extends TestService, Tenant {
  readonly world: World;
  /**
   * Sends the request with the given credential. Default: the Read & Write key, or an access token if the operation
   * refuses keys.
   */
  readonly ask: (declaration: Declaration, request: WireRequest, key?: string) => Promise<WireAnswer>;
  /** Sends the sample request. An operation that succeeds only once gets its own organization. */
  readonly askSample: (declaration: Declaration, headers?: WireRequest['headers']) => Promise<WireAnswer>;
}

async function stage(operations?: readonly Declaration[]): Promise<Stage> {
  const running = await service();
  const world = await sampleWorld(running, operations);
  const person = await accessToken(running);
  const ask: Stage['ask'] = (
    declaration,
    request,
    key = takesKeys(declaration) ? running.keys.readWrite : person.value,
  ) => send(running.origin, authorized(declaration, request, key));
  const askSample: Stage['askSample'] = async (declaration, headers = []) => {
    const own = sampleOf(declaration).once ? { ...running, ...(await running.tenant()) } : undefined;
    const sample = goodRequest(declaration, own ? await sampleWorld(own, [declaration]) : world);
    const key = own && (takesKeys(declaration) ? own.keys.readWrite : (await accessToken(own)).value);
    return ask(declaration, { ...sample, headers: [...(sample.headers ?? []), ...headers] }, key);
  };
  return { ...running, world, ask, askSample };
}

const stages: Record<string, Promise<Stage>> = {};
const stageNamed = (name: string, operations?: readonly Declaration[]) => (stages[name] ??= stage(operations));
/** The organization for all requests that change nothing, because they only read or are refused. */
export const sharedStage = (): Promise<Stage> => stageNamed('shared');
/**
 * The organization for requests that succeed. Operations that change data share an organization, and operations that
 * only read share another one.
 */
export const stageFor = (declaration: Declaration): Promise<Stage> =>
  declaration.method === 'GET' ? sharedStage() : stageNamed('changed', changing);

const PACKED = ['accept-encoding', 'br, gzip'] as const;
const PLAIN = ['accept-encoding', 'gzip;q=0, br'] as const;

interface Answers {
  readonly plain: WireAnswer;
  readonly packed: readonly { readonly accept: string; readonly answer: WireAnswer }[];
}
const answered = new Map<Declaration, Promise<Answers>>();
/** Sends the sample request once without gzip, and once with gzip for each Accept header. */
export const answersOf = (declaration: Declaration, accepted: readonly string[]): Promise<Answers> => {
  const known = answered.get(declaration) ?? asked(declaration, accepted);
  answered.set(declaration, known);
  return known;
};
async function asked(declaration: Declaration, accepted: readonly string[]): Promise<Answers> {
  const { ask, askSample, world } = await stageFor(declaration);
  const sample = goodRequest(declaration, world);
  // Some clients refuse gzip explicitly, and other clients do not mention gzip, so the requests alternate between the
  // two.
  const unpacked = answered.size % 2 ? [PLAIN] : [];
  const plain = await ask(declaration, { ...sample, headers: [...(sample.headers ?? []), ...unpacked] });
  const packed: { accept: string; answer: WireAnswer }[] = [];
  for (const accept of accepted) {
    packed.push({ accept, answer: await askSample(declaration, [['accept', accept], PACKED]) });
  }
  return { plain, packed };
}
