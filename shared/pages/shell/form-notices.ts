/**
 * The notice that the next page shows after a form was done. After a form that is not listed here, the next page itself
 * shows what was done.
 */
const SAVED = 'Saved.';
const DELETED = 'Deleted.';
const TEST_SENT = 'A test is on its way. Refresh the page to see the answer.';

/** By the operation id of the form, or by what it did. */
const NOTICES: Readonly<Record<string, string>> = {
  submitArchiveRule: 'The rule is archived.',
  submitChannelNotification: 'Saved. Send a test to see whether messages arrive.',
  submitCompanyProvider: SAVED,
  submitCompanyRequirement: SAVED,
  submitDeleteNotification: DELETED,
  submitDeleteRun: 'The run is deleted.',
  submitDeleteWebhook: DELETED,
  submitGroupRoles: SAVED,
  submitHostNotification: 'Saved. Send a test to see whether the token works.',
  submitIntegrationChange: SAVED,
  submitIssueAutomation: SAVED,
  submitNewBadge: 'The badge is created.',
  submitNewIntegration: SAVED,
  submitNewRule: 'The rule is created.',
  submitNotificationEnabled: SAVED,
  submitNotificationTest: TEST_SENT,
  submitProjectSettings: SAVED,
  submitRemoveMember: 'The member is removed.',
  submitRemoveRepository: 'The repository is removed.',
  submitResetRun: 'The spec files are released.',
  submitRestoreProject: 'The project is restored.',
  submitRevokeApiKey: 'The API key is revoked.',
  submitRevokeBadge: 'The badge is revoked.',
  submitRevokeShare: 'The share is revoked.',
  submitRevokeToken: 'The token is revoked.',
  submitRole: SAVED,
  submitRuleChange: SAVED,
  submitRuleStatus: SAVED,
  submitRuleStatus_disabled: 'The rule is disabled. Runs that start from now on do not apply it.',
  submitRuleStatus_enabled: 'The rule is enabled. Runs that start from now on apply it.',
  submitRuleStatus_extended: 'The rule is extended.',
  submitSharing: SAVED,
  submitTrustedRepository: 'The repository is trusted.',
  submitWebhookChange: SAVED,
  submitWebhookEnabled: SAVED,
  submitWebhookTest: TEST_SENT,
  submitWithdrawInvitation: 'The invitation is withdrawn.',
};

/** `operationId` may be any text, because it comes from a cookie. */
export const findFormNotice = (operationId: string | undefined): string | undefined =>
  operationId !== undefined && Object.hasOwn(NOTICES, operationId) ? NOTICES[operationId] : undefined;
