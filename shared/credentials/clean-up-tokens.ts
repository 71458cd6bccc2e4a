/**
 * §5.2 "Revoked later by cleanup": the dead tokens of all organizations. A run looks at each organization once. It begins
 * after the one that the last run got to, if that was cut off, and then comes round to the first ones, so that whichever
 * run finishes has looked at everything. Runs may overlap: a token is marked, and recorded, once.
 */
import { LIMITS } from '../limits.ts';
import { checkpoints } from '../resources/checkpoint.ts';
import { allOrganizations, allOrganizationsSpan } from '../resources/organization.ts';
import type { Administration } from '../services.ts';
import type { Span } from '../table/entity.ts';
import type { Table } from '../table/table.ts';
import { remove } from '../table/writes.ts';
import { revokeDeadTokensByPage } from './dead-tokens.ts';

/** Counts of this run alone. */
export interface CleanUp {
  readonly organizations: number;
  readonly tokens: number;
  readonly revoked: number;
  /** Whether all organizations were looked at. If not, the next run goes on where this one stopped. */
  readonly finished: boolean;
}

interface Run {
  /** The run stops in time before this is 0. */
  readonly remainingMilliseconds: () => number;
  /** Told after each page. */
  readonly onProgress?: (soFar: CleanUp) => void;
}

const WORK = { work: 'clean-up-tokens' };

export async function cleanUpTokens(services: Administration, run: Run): Promise<CleanUp> {
  const { table } = services;
  const began = await table.get(checkpoints, WORK, { consistent: true });
  const progress = new Progress(services, began?.position);
  const isTimeUp = () => run.remainingMilliseconds() < LIMITS.cleanUpMarginMilliseconds;
  for await (const { sk, item } of organizationsAfter(table, began?.position)) {
    if (isTimeUp()) return progress.stop();
    for await (const page of revokeDeadTokensByPage(services, item)) {
      progress.add(page);
      run.onProgress?.(progress.soFar);
      if (!page.isLast && isTimeUp()) return progress.stop();
    }
    await progress.passed(sk);
  }
  return progress.finish();
}

class Progress {
  readonly #services: Administration;
  #counts = { organizations: 0, tokens: 0, revoked: 0 };
  #position: string | undefined;
  #saved: string | undefined;
  #rowsSinceSaved = 0;

  constructor(services: Administration, position: string | undefined) {
    this.#services = services;
    this.#position = position;
    this.#saved = position;
  }

  get soFar(): CleanUp {
    return { ...this.#counts, finished: false };
  }

  add({ tokens, revoked }: Pick<CleanUp, 'tokens' | 'revoked'>): void {
    this.#counts.tokens += tokens;
    this.#counts.revoked += revoked;
    this.#rowsSinceSaved += tokens;
  }

  /** An organization is done. */
  async passed(position: string): Promise<void> {
    this.#counts.organizations += 1;
    this.#rowsSinceSaved += 1;
    this.#position = position;
    if (this.#rowsSinceSaved >= LIMITS.cleanUpCheckpointRows) await this.#save();
  }

  async stop(): Promise<CleanUp> {
    await this.#save();
    return this.soFar;
  }

  async finish(): Promise<CleanUp> {
    if (this.#saved !== undefined) await this.#services.table.writeMany([remove(checkpoints, WORK)]);
    return { ...this.#counts, finished: true };
  }

  async #save(): Promise<void> {
    if (this.#position === undefined || this.#position === this.#saved) return;
    const { table, now } = this.#services;
    await table.put(checkpoints, { ...WORK, position: this.#position, savedAt: now() });
    this.#saved = this.#position;
    this.#rowsSinceSaved = 0;
  }
}

/** Those after the position, oldest first; then those up to it. */
async function* organizationsAfter(table: Table, position: string | undefined) {
  yield* pointersOf(table, allOrganizationsSpan, position);
  if (position !== undefined) yield* pointersOf(table, { ...allOrganizationsSpan, to: position });
}

async function* pointersOf(table: Table, span: Span, position?: string) {
  let after = position;
  do {
    const options = { limit: LIMITS.cleanUpPage, consistent: true, ...(after === undefined ? {} : { after }) };
    const { rows, lastRead } = await table.query(allOrganizations, span, options);
    yield* rows;
    after = lastRead;
  } while (after !== undefined);
}
