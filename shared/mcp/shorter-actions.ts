/** Rules as tools show them. */
import type * as z from 'zod';
import type { RuleWire } from '#shared/rules/rule-wire.ts';

type ShownRule = z.output<typeof RuleWire>;

export const shortenAction = ({ data }: { readonly data: ShownRule }): object => data;
export const shortenActions = ({ data }: { readonly data: readonly ShownRule[] }): object => ({ actions: data });
