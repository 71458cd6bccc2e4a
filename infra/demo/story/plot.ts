/** Decides the outcome of each test in each run. */
import { BREAKING, REPAIR } from './changes.ts';
import type { StoryFailure } from './failure-text.ts';
import {
  bankIsDown,
  cardDeclined,
  cardNotAccepted,
  connectionsLeft,
  countedTwice,
  lastPiece,
  priceBelowCost,
  slowPage,
} from './failures.ts';
import { between, noise } from './noise.ts';
import type { PlannedRun } from './plan.ts';

/** The notable tests of the story. */
export const FLAKY = 'reserves the last piece in stock';
export const BROKEN = 'never sells below the cost price';
export const SLOW = 'finds articles while typing';
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

/** Share of the executions in which the flaky test fails, from 0 to 1. */
const FLAKY_SHARE = 0.38;
const FAILED_SHARE = 0.05;
const RARELY_FLAKY_SHARE = 0.004;

const failed = (failure: StoryFailure): Happening => ({ kind: 'failed', failure });

export function happeningOf(run: PlannedRun, group: string, { spec, title }: StoryTest): Happening {
  const name = title.at(-1) ?? '';
  const reason = PENDING[name];
  if (reason) return { kind: 'pending', reason };
  return (run.project === 'shop' ? inShop(run, group, spec, name) : inWarehouse(run, spec, name)) ?? { kind: 'passed' };
}

function inShop(run: PlannedRun, group: string, spec: string, name: string): Happening | undefined {
  if (run.special === 'outage' && PAYS.has(spec) && name !== 'accepts a well-formed card number')
    return failed(bankIsDown(spec, between(14, 22, 'line', spec)));
  if (name === BROKEN && isBroken(run)) return failed(priceBelowCost);
  if (name === DECLINED && run.day === 0 && run.branch === 'main' && run.special !== 'live')
    return failed(cardDeclined);
  if (name === 'redeems a card at the checkout' && run.day >= 3) return failed(cardNotAccepted);
  const chance = noise('chance', run.ciBuildId, group, spec, name);
  if (name === FLAKY && chance < FLAKY_SHARE)
    return { kind: chance < FAILED_SHARE ? 'failed' : 'flaky', failure: lastPiece };
  const tellsItsOwn = name === BROKEN || name === SLOW;
  return chance < RARELY_FLAKY_SHARE && !tellsItsOwn ? { kind: 'flaky', failure: slowPage(spec) } : undefined;
}

/** Spec files whose tests use the bank's test system. */
const PAYS = new Set(['checkout/payment.spec.ts', 'checkout/voucher.spec.ts']);

/**
 * Whether the run contains the breaking commit. Only the main branch and the branch that fixes it do: all others forked
 * earlier.
 */
const isBroken = ({ branch, day }: PlannedRun): boolean =>
  (branch === 'main' && day <= BREAKING.day) || (branch === REPAIR.branch && day > REPAIR.day);

function inWarehouse({ branch, day }: PlannedRun, spec: string, name: string): Happening | undefined {
  if (name === 'counts reserved pieces once' && branch === 'main' && day === 12) return failed(countedTwice);
  if (spec === 'test/api/orders.test.ts' && branch === 'chore/update-dependencies' && day === 11)
    return failed(connectionsLeft);
  return undefined;
}

const SLOW_AT_FIRST = 1300;
const SLOWER_PER_DAY = 135;
/** Length of the story in days, over which the slow test gets slower. */
const DAYS = 29;

/** Duration of a passing attempt, in milliseconds. */
export function durationOf(run: PlannedRun, group: string, { spec, title }: StoryTest): number {
  const name = title.at(-1) ?? '';
  const share = noise('size', spec, name) ** 2;
  const usual =
    name === SLOW
      ? SLOW_AT_FIRST + (DAYS - run.day) * SLOWER_PER_DAY
      : run.project === 'shop'
        ? 700 + share * 6800
        : 6 + share * 420;
  const varies = 0.88 + 0.3 * noise('duration', run.ciBuildId, group, spec, name) ** 2;
  return Math.round(usual * varies * (group === 'firefox' ? 1.2 : 1));
}
