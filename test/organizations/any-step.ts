/** Generates random steps, both allowed and forbidden ones, for the property test in verbs-property.test.ts. */
import fc from 'fast-check';
import { ROLES } from '#shared/model/organizations/membership.ts';
import type { By, Step } from './model.ts';

export const PEOPLE = 4;
const who = fc.nat(PEOPLE - 1);
/** Person 0 is the first Admin and acts most often, because most steps of non-members would be refused. */
const by = fc.oneof(
  { arbitrary: fc.constant<By>('operator'), weight: 3 },
  { arbitrary: fc.constant<By>(0), weight: 4 },
  { arbitrary: who, weight: 4 },
);
const member = fc.oneof({ arbitrary: fc.constant(0), weight: 1 }, { arbitrary: who, weight: 2 });
const nth = fc.nat(2);
const role = fc.constantFrom(...ROLES, 'admin' as const);
const named = <const Name extends string>(...names: readonly Name[]) => fc.constantFrom(...names);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: named('add', 'invite', 'invite', 'role'), by, who, role }), weight: 40 },
  { arbitrary: fc.record({ do: named('withdraw', 'remove', 'remove', 'deprovision'), by, who }), weight: 20 },
  { arbitrary: fc.record({ do: named('leave', 'create token', 'create token'), by: member }), weight: 20 },
  { arbitrary: fc.record({ do: named('join'), by: who, with: named('own', 'own', 'first') }), weight: 25 },
  { arbitrary: fc.record({ do: named('create key'), by }), weight: 5 },
  { arbitrary: fc.record({ do: named('delete key', 'revoke', 'revoke'), by, nth }), weight: 15 },
  { arbitrary: fc.record({ do: named('wait'), days: fc.constantFrom(0, 1, 7, 8) }), weight: 5 },
  { arbitrary: fc.record({ do: named('deactivate'), by }), weight: 1 },
);
