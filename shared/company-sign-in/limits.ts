/** Limits of company sign-in. */
export const COMPANY_LIMITS = {
  nameCharacters: 60,
  clientIdCharacters: 500,
  secretCharacters: 500,
  claimCharacters: 100,
  /** OpenID Connect Core 2: a subject has at most 255 ASCII characters. */
  subjectCharacters: 255,
  groupCharacters: 200,
  groupRoles: 50,
  /** The groups of a person that are looked at. */
  groups: 2000,
  /** The documents of a provider: its configuration, its keys and its answers. */
  answerBytes: 512 * 1024,
  /** How far the clocks of the provider and of this service may differ. */
  clockToleranceSeconds: 60,
  /** The part of an error message of a provider that people see. */
  messageCharacters: 200,
  secretNameCharacters: 20,
  /** The domains that an organization can prove. */
  domains: 20,
} as const;
