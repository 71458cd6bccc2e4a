/** Rules as tools show them. */
import type * as z from 'zod';
import type { RuleWire } from '#shared/rules/rule-wire.ts';

type Shown = z.output<typeof RuleWire>;

export const oneAction = ({ data }: { readonly data: Shown }): object => data;
export const allActions = ({ data }: { readonly data: readonly Shown[] }): object => ({ actions: data });
