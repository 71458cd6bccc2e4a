/** §5 Errors for forbidden changes to organizations, members and settings. */
import { ApiError } from '#shared/engine/errors.ts';

/** §5 The same response for every unusable invitation: withdrawn, used, expired, for another address, or unknown. */
export const invitationNotFound = () =>
  new ApiError(404, 'Invitation not found for this email address. Ask an Admin of the organization for a new one');
/** §5 An organization must always have at least one Admin. */
export const lastAdmin = () =>
  new ApiError(409, 'This is the last Admin of the organization. Make another member an Admin first');
/** §5 Admins must see who has access. */
export const stillMember = (email: string) =>
  new ApiError(409, `${email} is still a member of this organization. Remove the member first`, { about: ['email'] });
/** §5 An account belongs to the organization that first invited its address, until the owner proves the address. */
export const addressNotProven = () =>
  new ApiError(
    409,
    'Your account belongs to another organization, and your email address has not been verified yet. Ask the operator of this service for a sign-in link, sign in with it, and open the invitation again',
  );
/** §5 `origin`: such as `by an invitation of Acme (3f) from Kim Roe on 2026-11-02`. */
export const belongsToAnother = (email: string, origin: string) =>
  new ApiError(
    409,
    `The account ${email} was created ${origin}. This email address has not been verified yet, so the account may belong to somebody else. Run "accounts link --email ${email}" and give the link to the owner of the email address. The command also ends the passkeys, sessions, tokens, applications and invitations of the current holder. If you know whose account it is, pass the id of this organization as --invited-by to "members add"`,
  );
/** §5 An account that an organization manages can be a member of this organization only. */
export const managedElsewhere = () =>
  new ApiError(
    409,
    'This account is managed by another organization, and can be a member of that organization only. Invite the person, and let them join with an account of their own',
  );
/** §5 Deactivation is final. */
export const organizationDeactivated = () =>
  new ApiError(409, 'This organization is deactivated and cannot be changed. Use another organization');
/** Pages lead to the sign-in instead of showing this error. */
export class CompanySignInRequired extends ApiError {
  readonly organizationId: string;

  constructor(organizationId: string) {
    super(403, 'This organization can be used only after signing in with its company. Sign in with your company first');
    this.organizationId = organizationId;
  }
}
/** A form that creates something works only once, because browsers send it again when the response is reloaded. */
export const alreadySubmitted = () =>
  new ApiError(
    409,
    'This form was already sent, so nothing was created this time. If it created a secret the first time, that secret cannot be shown again. To create another item, open the form again',
  );
/** `changes` maps the name of each setting to a text such as `default branch is now trunk`. */
export const settingsChanged = (changes: ReadonlyMap<string, string>) =>
  new ApiError(
    409,
    `Somebody else changed these settings after you opened the page: ${[...changes.values()].join('; ')}. Check your entries, then save again to overwrite the changes`,
    { about: [...changes.keys()] },
  );
