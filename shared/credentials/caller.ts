/** §5 Who asks. The authorizer hands it to the function as flat strings, the only thing a REST API carries. */
import * as z from 'zod';

export const Caller = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('apiKey'),
    organizationId: z.string().min(1),
    keyId: z.string().min(1),
    label: z.string(),
    level: z.enum(['readOnly', 'readWrite']),
  }),
]);
export type Caller = z.infer<typeof Caller>;
export type CallerKind = Caller['kind'];

/** §5.4 A 403 without challenge: known to the authorizer, answered by the function. */
export const Denial = z.enum(['readOnlyKey']);
export type Denial = z.infer<typeof Denial>;

export const AuthorizerContext = z.object({ caller: z.string(), denial: Denial.optional() });

export const toContext = (caller: Caller, denial: Denial | undefined): z.infer<typeof AuthorizerContext> => ({
  caller: JSON.stringify(caller),
  ...(denial ? { denial } : {}),
});
