/** §5 Who uses a verb. What they may do is in `rights.ts`. */

/** Whoever may write to the table: the command line, the demo, and a directory's deprovisioning (SCIM). */
interface Operator {
  readonly kind: 'operator';
}

/** Somebody who acts for themselves, with the role that they have in the organization at that moment. */
export interface Person {
  readonly kind: 'person';
  readonly accountId: string;
}

export type Actor = Operator | Person;

export const OPERATOR: Operator = { kind: 'operator' };

export const person = ({ accountId }: { readonly accountId: string }): Person => ({ kind: 'person', accountId });

/** As the audit record has it. An account id is hexadecimal, so nobody is called like that by chance. */
export const nameOf = (actor: Actor): string => (actor.kind === 'operator' ? 'operator' : actor.accountId);
