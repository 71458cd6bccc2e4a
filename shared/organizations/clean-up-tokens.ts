/** §5.2 Revokes dead tokens in all organizations. Calls may overlap: each token is revoked and audited only once. */

import type { CoreServices } from '#shared/services.ts';
import { revokeDeadTokensByPage } from './dead-tokens.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { visitOrganizations } from './visit-organizations.ts';

/** What one call of `cleanUpTokens` did, or has done so far. */
export interface CleanUp {
  readonly organizations: number;
  readonly tokens: number;
  readonly revoked: number;
  /** Whether all organizations were visited. If not, the next call continues where this call stopped. */
  readonly finished: boolean;
}

interface Run {
  /** Returns how much time is left for this call. The clean-up stops before the time runs out. */
  readonly remainingMilliseconds: () => number;
  /** Called with the progress after each page of tokens. */
  readonly onProgress?: (soFar: CleanUp) => void;
}

export async function cleanUpTokens(services: CoreServices, run: Run): Promise<CleanUp> {
  const counts = { organizations: 0, tokens: 0, revoked: 0 };
  const isTimeUp = () => run.remainingMilliseconds() < ORGANIZATION_LIMITS.cleanUpMarginMilliseconds;
  const isFinished = await visitOrganizations(services, {
    work: 'clean-up-tokens',
    isTimeUp,
    visit: async (organization) => {
      let rows = 0;
      for await (const page of revokeDeadTokensByPage(services, organization)) {
        rows += page.tokens;
        counts.tokens += page.tokens;
        counts.revoked += page.revoked;
        run.onProgress?.({ ...counts, finished: false });
        if (!page.isLast && isTimeUp()) return { rows, finished: false };
      }
      counts.organizations += 1;
      return { rows, finished: true };
    },
  });
  return { ...counts, finished: isFinished };
}
