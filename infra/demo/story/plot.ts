/** Decides the outcome of each test in each run. */
import { BREAKING, REPAIR } from './changes.ts';
import type { StoryFailure } from './failure-text.ts';
import {
  cardDeclined,
  cardNotAccepted,
  connectionsLeft,
  countedTwice,
  lastPiece,
  makeBankFailure,
  makeSlowPageFailure,
  nameNotShortened,
  pictureDiffers,
  priceBelowCost,
} from './failures.ts';
import { drawFraction, drawInteger } from './noise.ts';
import type { PlannedRun } from './plan.ts';

/** The titles of the tests that behave in a special way in the story. */
export const FLAKY = 'reserves the last piece in stock';
export const BROKEN = 'never sells below the cost price';
export const SLOW = 'finds articles while typing';
const ZOOMED = 'zooms into a picture';
const DECLINED = 'shows why the bank declined a card';

export interface StoryTest {
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags: readonly string[];
}

export type Happening =
  | { readonly kind: 'passed' }
  | { readonly kind: 'pending'; readonly reason: string }
  | { readonly kind: 'failed' | 'flaky'; readonly failure: StoryFailure };

const PENDING: Readonly<Record<string, string>> = {
  'stacks a voucher on a discount': 'vouchers are being rewritten',
  'converts a discount to a second currency': 'waits for the second currency',
};

/** The fraction of executions in which the flaky test fails at least once. */
const FLAKY_SHARE = 0.38;
const FAILED_SHARE = 0.05;
const RARELY_FLAKY_SHARE = 0.004;

const makeFailure = (failure: StoryFailure): Happening => ({ kind: 'failed', failure });

export function decideHappening(run: PlannedRun, group: string, { spec, title }: StoryTest): Happening {
  const name = title.at(-1) ?? '';
  const reason = PENDING[name];
  if (reason) return { kind: 'pending', reason };
  const happening = run.project === 'shop' ? decideInShop(run, group, spec, name) : decideInWarehouse(run, spec, name);
  return happening ?? { kind: 'passed' };
}

function decideInShop(run: PlannedRun, group: string, spec: string, name: string): Happening | undefined {
  if (run.special === 'outage' && PAYS.has(spec) && name !== 'accepts a well-formed card number')
    return makeFailure(makeBankFailure(spec, drawInteger(14, 22, 'line', spec)));
  if (run.special === 'tried again' && run.attempt === 1 && SLOW_AT_NOON.has(name))
    return makeFailure(makeSlowPageFailure(spec));
  if (name === BROKEN && isBroken(run)) return makeFailure(priceBelowCost);
  if (name === DECLINED && run.day === 0 && run.branch === 'main' && run.special !== 'live')
    return makeFailure(cardDeclined);
  if (name === 'redeems a card at the checkout' && run.day >= 3) return makeFailure(cardNotAccepted);
  if (name === ZOOMED && run.branch === 'feature/gift-cards' && run.day === 0) return makeFailure(pictureDiffers);
  const chance = drawFraction('chance', run.ciBuildId, group, spec, name);
  if (name === FLAKY && chance < FLAKY_SHARE)
    return { kind: chance < FAILED_SHARE ? 'failed' : 'flaky', failure: lastPiece };
  const tellsItsOwn = name === BROKEN || name === SLOW;
  return chance < RARELY_FLAKY_SHARE && !tellsItsOwn
    ? { kind: 'flaky', failure: makeSlowPageFailure(spec) }
    : undefined;
}

/** Tests that fail in the first try of the build whose failed jobs are run again. */
const SLOW_AT_NOON = new Set(['downloads an invoice', 'follows a parcel']);

/** Spec files whose tests use the bank's test system. */
const PAYS = new Set(['checkout/payment.spec.ts', 'checkout/voucher.spec.ts']);

/** Only the main branch and the branch of the repair contain the breaking commit: all others forked earlier. */
const isBroken = ({ branch, day }: PlannedRun): boolean =>
  (branch === 'main' && day <= BREAKING.day) || (branch === REPAIR.branch && day > REPAIR.day);

function decideInWarehouse({ branch, day, job }: PlannedRun, spec: string, name: string): Happening | undefined {
  if (job === NEXT_NODE && name === 'shortens long names') return makeFailure(nameNotShortened);
  if (name === 'counts reserved pieces once' && branch === 'main' && day === 12) return makeFailure(countedTwice);
  if (spec === 'test/api/orders.test.ts' && branch === 'chore/update-dependencies' && day === 11)
    return makeFailure(connectionsLeft);
  return undefined;
}

/** The jobs of the run in which two of them execute the same tests. One test fails in the second job. */
export const NODE_JOBS = ['node-24', 'node-26'] as const;
const [, NEXT_NODE] = NODE_JOBS;

const SLOW_AT_FIRST = 1300;
const SLOWER_PER_DAY = 135;
/** Length of the story in days. Over this time, the slow test gets slower. */
const DAYS = 29;

/** Duration of a passing attempt, in milliseconds. */
export function computeTestDuration(run: PlannedRun, group: string, { spec, title }: StoryTest): number {
  const name = title.at(-1) ?? '';
  const share = drawFraction('size', spec, name) ** 2;
  let usualDuration = run.project === 'shop' ? 700 + share * 6800 : 6 + share * 420;
  if (name === SLOW) usualDuration = SLOW_AT_FIRST + (DAYS - run.day) * SLOWER_PER_DAY;
  const variation = 0.88 + 0.3 * drawFraction('duration', run.ciBuildId, group, spec, name) ** 2;
  return Math.round(usualDuration * variation * (group === 'firefox' ? 1.2 : 1));
}
