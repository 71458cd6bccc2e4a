/**
 * §5.2 "Revoked later by cleanup": revokes the dead tokens of all organizations. A run visits each organization once. It
 * starts where an interrupted run stopped, then continues with the first organizations. Runs may overlap: each token is
 * revoked and recorded once.
 */

import type { Span } from '#shared/engine/table/entity.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { allOrganizations, allOrganizationsSpan } from '#shared/model/organization.ts';
import type { CoreServices } from '#shared/services.ts';
import { revokeDeadTokensByPage } from './dead-tokens.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

/** The counts of one run of the clean-up. */
export interface CleanUp {
  readonly organizations: number;
  readonly tokens: number;
  readonly revoked: number;
  /** Whether the run visited all organizations. If not, the next run continues from here. */
  readonly finished: boolean;
}

interface Run {
  /** The remaining time. The run stops before it reaches 0. */
  readonly remainingMilliseconds: () => number;
  /** Reports the progress after each page. */
  readonly onProgress?: (soFar: CleanUp) => void;
}

const WORK = { work: 'clean-up-tokens' };

export async function cleanUpTokens(services: CoreServices, run: Run): Promise<CleanUp> {
  const { table } = services;
  const checkpoint = await table.get(checkpoints, WORK, { consistent: true });
  const progress = new Progress(services, checkpoint?.position);
  const isTimeUp = () => run.remainingMilliseconds() < ORGANIZATION_LIMITS.cleanUpMarginMilliseconds;
  for await (const { sk, item } of organizationsAfter(table, checkpoint?.position)) {
    if (isTimeUp()) return progress.stop();
    for await (const page of revokeDeadTokensByPage(services, item)) {
      progress.add(page);
      run.onProgress?.(progress.soFar);
      if (!page.isLast && isTimeUp()) return progress.stop();
    }
    await progress.finishOrganization(sk);
  }
  return progress.finish();
}

class Progress {
  readonly #services: CoreServices;
  #counts = { organizations: 0, tokens: 0, revoked: 0 };
  #position: string | undefined;
  #saved: string | undefined;
  #rowsSinceSaved = 0;

  constructor(services: CoreServices, position: string | undefined) {
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

  /** Counts an organization that is finished. */
  async finishOrganization(position: string): Promise<void> {
    this.#counts.organizations += 1;
    this.#rowsSinceSaved += 1;
    this.#position = position;
    if (this.#rowsSinceSaved >= ORGANIZATION_LIMITS.cleanUpCheckpointRows) await this.#save();
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

/** Yields the organizations after the position, oldest first, then those up to it. */
async function* organizationsAfter(table: Table, position: string | undefined) {
  yield* pointersOf(table, allOrganizationsSpan, position);
  if (position !== undefined) yield* pointersOf(table, { ...allOrganizationsSpan, to: position });
}

async function* pointersOf(table: Table, span: Span, position?: string) {
  let after = position;
  do {
    const options = {
      limit: ORGANIZATION_LIMITS.cleanUpPage,
      consistent: true,
      ...(after === undefined ? {} : { after }),
    };
    const { rows, lastRead } = await table.query(allOrganizations, span, options);
    yield* rows;
    after = lastRead;
  } while (after !== undefined);
}
