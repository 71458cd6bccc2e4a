/** The contract between the authorization server and the page that asks a person for consent (§5.3). */
import type { Scope } from '#shared/model/organizations/permissions.ts';

/** A validated authorization request, with defaults filled in. */
export interface ConsentRequest {
  readonly uid: string;
  readonly clientId: string;
  /** The name that the client claims. Not verified. */
  readonly clientName?: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Whether the client requires the person to authenticate again. */
  readonly asksFreshLogin: boolean;
  /** When the application sent the person here, in epoch milliseconds. Whole seconds, rounded up. */
  readonly startedAt: number;
}

export type ConsentDecision =
  | { readonly kind: 'denied' }
  | {
      readonly kind: 'granted';
      readonly organizationId: string;
      readonly accountId: string;
      readonly resource: string;
      readonly scopes: readonly Scope[];
      /** Whether the client gets a refresh token. */
      readonly offline: boolean;
    };
