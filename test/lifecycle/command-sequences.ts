/** Random sequences of commands about one run. */
import fc from 'fast-check';
import { type Command, GROUPS, MACHINES, SPECS, TESTS } from './oracle.ts';

const anyOf = <Name extends string>(...names: readonly Name[]) => fc.constantFrom(...names);
const place = { machine: anyOf(...MACHINES), group: anyOf(...GROUPS), spec: anyOf(...SPECS) };
const result = fc.record({
  do: fc.constant('result' as const),
  group: place.group,
  spec: place.spec,
  test: anyOf(...TESTS),
  outcome: anyOf('passed', 'passed', 'passed', 'failed', 'skipped'),
});
const recording = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: anyOf('create', 'claim'), ...place }) },
  { weight: 5, arbitrary: result },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(7, 19, 31) }) },
);
const steering = fc.oneof(
  fc.record({ do: anyOf('cancel', 'cancelOwn', 'delete') }),
  fc.record({ do: fc.constant('reset' as const), machine: place.machine }),
);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 9, arbitrary: recording },
  { weight: 1, arbitrary: steering },
);

/** The commands that report all tests of the suite, because random commands alone rarely finish a run. */
const everything: readonly Command[] = GROUPS.flatMap((group) =>
  SPECS.flatMap((spec) => TESTS.map((test) => ({ do: 'result', group, spec, test, outcome: 'passed' }) as const)),
);
export const sequence = fc
  .tuple(fc.array(command, { minLength: 2, maxLength: 14 }), fc.shuffledSubarray([...everything], { minLength: 6 }))
  .map(([some, rest]): Command[] => [
    { do: 'create', machine: 'm1', group: 'chromium', spec: 'cart' },
    ...some,
    ...rest,
  ]);
