/** §5 Who asks. The authorizer hands it to the function as flat strings, the only thing a REST API carries. */
import { type ApiError, apiKeyRequired, insufficientRole, readOnlyKey, userCredentialRequired } from '../errors.ts';
import type { ApiKeyLevel } from '../resources/api-key.ts';
import type { Role } from '../resources/membership.ts';
import type { Permission } from '../resources/permissions.ts';

export type Caller =
  | {
      readonly kind: 'apiKey';
      readonly organizationId: string;
      readonly keyId: string;
      readonly label: string;
      readonly level: ApiKeyLevel;
    }
  | {
      readonly kind: 'personalToken';
      readonly organizationId: string;
      readonly tokenId: string;
      readonly accountId: string;
      readonly permissions: readonly Permission[];
    }
  | {
      readonly kind: 'accessToken';
      readonly organizationId: string;
      readonly tokenId: string;
      readonly accountId: string;
      readonly clientId: string;
      /** As granted; the role may permit less. */
      readonly permissions: readonly Permission[];
      readonly role: Role;
    };
export type CallerKind = Caller['kind'];

/** What stands for the caller in logs. */
export const credentialIdOf = (caller: Caller): string => (caller.kind === 'apiKey' ? caller.keyId : caller.tokenId);

/** §5.1 What stands for the caller in audit records. An account id has no blanks, so no label makes a key look like a person. */
export const nameOfCaller = (caller: Caller): string =>
  caller.kind === 'apiKey' ? `API key ${caller.label}` : caller.accountId;

/** §5.4 A 403 without challenge: known to the authorizer, answered by the function. */
export const DENIALS = ['readOnlyKey', 'insufficientRole', 'apiKeyRequired', 'userCredentialRequired'] as const;
export type Denial = (typeof DENIALS)[number];

const REFUSALS: Record<Denial, () => ApiError> = {
  readOnlyKey,
  insufficientRole,
  apiKeyRequired,
  userCredentialRequired,
};
export const refusalFor = (denial: Denial): ApiError => REFUSALS[denial]();

// Kept free of the schema library, which would be a third of the authorizer.
export const toContext = (caller: Caller, denial: Denial | undefined): Record<string, string> => ({
  caller: JSON.stringify(caller),
  ...(denial ? { denial } : {}),
});
