/** Generates random analytics queries about recorded runs. */
import fc from 'fast-check';
import { ERROR_KEYS, type ErrorsQuestion } from './explore-errors.ts';
import type { FlakyState } from './explore-flaky.ts';
import { SPEC_ORDERS, type SpecsQuestion } from './explore-specs.ts';
import { TEST_ORDERS, type TestsQuestion } from './explore-tests.ts';
import type { Resolution } from './insights.ts';
import type { Filter, Period } from './selection.ts';
import { OUTCOMES } from './sent.ts';

const anyOf = <One>(...values: readonly One[]) => fc.constantFrom(...values);
const HOUR = 3_600_000;
const LEAF = 6 * HOUR;

/** One end of a period: near a run, at a six-hour boundary, or anywhere. */
const instant = fc.oneof(
  fc.record({ near: fc.nat({ max: 30 }), by: anyOf(0, 1, -1) }),
  fc.record({ border: fc.integer({ min: -8, max: 4 }), by: anyOf(0, 1, -1) }),
  fc.record({ hours: fc.double({ min: -200, max: 2, noNaN: true }) }),
);
const ends = fc.tuple(instant, instant);
export type Ends = typeof ends extends fc.Arbitrary<infer Value> ? Value : never;

/** The period of a query. `times` are the creation times of the runs. */
export function periodOf(asked: Ends, { times, now }: { times: readonly number[]; now: number }): Period {
  const [one, other] = asked.map((end) => {
    if ('hours' in end) return Math.round(now + end.hours * HOUR);
    if ('border' in end) return (Math.floor(now / LEAF) + end.border) * LEAF + end.by;
    return (times[end.near % Math.max(1, times.length)] ?? now) + end.by;
  });
  const from = Math.min(one ?? now, other ?? now);
  const to = Math.max(one ?? now, other ?? now);
  return { from, to: to === from ? to + 1 : to };
}

const values = <One>(...all: readonly One[]) =>
  fc.option(fc.subarray([...all], { minLength: 1, maxLength: 2 }), { nil: [] });
const rarely = <One>(arbitrary: fc.Arbitrary<One>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

/** On average, at least one in five queries has no filter. */
const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.constant({}),
  fc.record({
    tags: values('nightly', 'mobile', 'slow', 'unknown'),
    branches: values('main', 'feat/*', 'feat/a', '*'),
    groups: values('web', 'ios', 'unknown'),
    authors: values('Ada', 'ada@example.com', 'Bob'),
    environments: values('staging', 'prod', 'unknown'),
  }),
  fc.record({ branches: fc.constant(['main']) }),
  fc.record({ groups: fc.constant(['ios']) }),
  fc.record({ environments: fc.constant(['staging']) }),
);
const dir = anyOf('asc' as const, 'desc' as const);
const outcomes = fc.subarray([...OUTCOMES], { minLength: 1 });

const tests = fc.record({
  spec: rarely(anyOf('cart', 'TAX', '.spec')),
  title: rarely(anyOf('adds', 'ADDS > twice', 'nothing')),
  states: rarely(outcomes),
  minExecutions: rarely(anyOf(1, 2, 4)),
  settings: rarely(
    fc.record(
      { executions: outcomes, avgDuration: outcomes, flakinessRate: outcomes, failureRate: outcomes },
      { requiredKeys: [] },
    ),
  ),
  annotations: rarely(
    anyOf<NonNullable<TestsQuestion['annotations']>>(
      [{ type: 'issue' }],
      [{ type: 'issue', description: 'SHOP-1' }],
      [
        { type: 'owner', description: ['Ada', 'Bob'] },
        { type: 'issue', description: ['SHOP-1'] },
      ],
    ),
  ),
  order: anyOf(...TEST_ORDERS),
  dir,
});
const specs = fc.record({
  includeFailedInDuration: fc.boolean(),
  specNameFilter: rarely(anyOf('CART', 'spec')),
  order: anyOf(...SPEC_ORDERS),
  dir,
});
const errors = fc.record({
  target: rarely(anyOf('order-header', 'DIALOG')),
  message: rarely(anyOf('timeout', 'tobevisible')),
  action: rarely(anyOf('click')),
  category: rarely(anyOf('action', 'Timeout')),
  groupBy: rarely(fc.shuffledSubarray([...ERROR_KEYS], { minLength: 1 })),
  order: anyOf('count' as const, 'tests' as const, 'branches' as const, 'error' as const),
  dir,
});

const common = { ends, filter, limit: anyOf(1, 2, 7, 50) };
export const question = fc.oneof(
  fc.record({ about: fc.constant('tests' as const), ...common, more: tests }),
  fc.record({ about: fc.constant('specs' as const), ...common, more: specs }),
  fc.record({
    about: fc.constant('errors' as const),
    ...common,
    more: errors,
    metric: anyOf('occurrence' as const, 'test' as const, 'branch' as const),
    topN: anyOf(1, 2, 5),
    tagOperator: anyOf('AND' as const, 'OR' as const),
  }),
  fc.record({
    about: fc.constant('flaky' as const),
    ...common,
    states: fc.subarray<FlakyState>(['flaky', 'suspected', 'recovered', 'broken'], { minLength: 1 }),
  }),
  fc.record({ about: fc.constant('insights' as const), ...common, resolution: anyOf<Resolution>('1h', '1d', '1w') }),
);
export type AskedQuestion = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

type Parameters = readonly (readonly [name: string, value: string])[];

const single = (name: string, value: string | number | boolean | undefined): Parameters =>
  value === undefined ? [] : [[name, String(value)]];
const several = (name: string, list: readonly string[] = []): Parameters =>
  list.map((value) => [`${name}[]`, value] as const);

export const filterParameters = ({ tags, branches, groups, authors, environments }: Filter): Parameters => [
  ...several('tags', tags),
  ...several('branches', branches),
  ...several('groups', groups),
  ...several('authors', authors),
  ...several('environments', environments),
];

export const periodParameters = ({ from, to }: Period): Parameters => [
  ['date_start', new Date(from).toISOString()],
  ['date_end', new Date(to).toISOString()],
];

export const testsParameters = (asked: Omit<TestsQuestion, 'period' | 'filter'>): Parameters => [
  ...single('spec', asked.spec),
  ...single('title', asked.title),
  ...several('test_state', asked.states),
  ...single('min_executions', asked.minExecutions),
  ...single('metric_settings', asked.settings && JSON.stringify(asked.settings)),
  ...single('annotations', asked.annotations && JSON.stringify(asked.annotations)),
  ...single('order', asked.order),
  ...single('dir', asked.dir),
];

export const specsParameters = (asked: Omit<SpecsQuestion, 'period' | 'filter'>): Parameters => [
  ...single('includeFailedInDuration', asked.includeFailedInDuration),
  ...single('specNameFilter', asked.specNameFilter),
  ...single('order', asked.order),
  ...single('dir', asked.dir),
];

export const errorsParameters = (asked: Omit<ErrorsQuestion, 'period' | 'filter'>): Parameters => [
  ...single('error_target', asked.target),
  ...single('error_message', asked.message),
  ...single('error_action', asked.action),
  ...single('error_category', asked.category),
  ...several('group_by', asked.groupBy),
  ...single('order_by', asked.order),
  ...single('dir', asked.dir),
];
