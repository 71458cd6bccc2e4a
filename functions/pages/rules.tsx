import * as z from 'zod';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { issueQuarantines } from '#shared/model/issues/issue-automation.ts';
import { knownIssues } from '#shared/model/issues/known-issue.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { renamedTests } from '#shared/model/rules/renamed-test.ts';
import { appliedRules, archivedRules, rules } from '#shared/model/rules/rule.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { addDays } from '#shared/pages/rules/quarantine-link.ts';
import { keepExpiry, parseRuleDraft, toRuleBody, toRuleDraft } from '#shared/pages/rules/rule-fields.ts';
import { RuleForm } from '#shared/pages/rules/rule-form.tsx';
import { ruleFields, ruleQuery } from '#shared/pages/rules/rule-form-wire.ts';
import { makeRuleBreadcrumbs } from '#shared/pages/rules/rule-names.tsx';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { RulePage } from '#shared/pages/rules/rule-page.tsx';
import { computePreview } from '#shared/pages/rules/rule-preview.ts';
import { RulesPage } from '#shared/pages/rules/rules-page.tsx';
import { UnknownConditions } from '#shared/pages/rules/unknown-conditions.tsx';
import { linkToRules, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { form, page } from '#shared/platform/page.ts';
import { validatePart } from '#shared/platform/request.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { listRules } from '#shared/rules/find-rule.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import { listExecutionsOfRule } from '#shared/rules/list-executions.ts';
import { moveRenamedTest } from '#shared/rules/move-renamed.ts';
import { readRunners } from '#shared/rules/read-runners.ts';
import { listRenamedTests } from '#shared/rules/renamed-tests.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';
import { RULE_STATUSES } from '#shared/rules/status.ts';
import { suggestQuarantine } from '#shared/rules/suggest-quarantine.ts';
import { archiveRule, disableRule, enableRule, extendRule, updateRule } from '#shared/rules/update-rule.ts';
import { reviewRule, reviewRules } from '#shared/rules/warnings.ts';
import { makeDoneCookie } from '#shared/sign-in/cookies.ts';

export const showRules = page({
  operationId: 'showRules',
  route: 'GET /{organizationId}/{projectId}/actions',
  needs: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    status: z.array(z.enum(RULE_STATUSES)).min(1).default(['active', 'disabled', 'expired']),
    page: z.int().min(0).max(RULE_LIMITS.rulesPerProject).default(0),
  }),
  async show({ caller, query: { status, page: number }, at }, services) {
    const all = await listRules(services, { ...caller, status });
    const { list, total, nextPage } = paginateByOffset(all, { limit: RULE_LIMITS.reviewedRules, page: number });
    const rules = await reviewRules(services, caller.organizationId, list);
    const [suggestions, runners, renamedTests] = await Promise.all([
      suggestQuarantine(services, caller),
      readRunners(services, caller),
      listRenamedTests(services, caller),
    ]);
    const nameOf = await loadActorNames(
      services,
      list.map(({ createdBy }) => createdBy),
    );
    const lists = { rules, suggested: suggestions, renamed: renamedTests };
    const props = { at, status, ...lists, page: number, total, nextPage, runners };
    return {
      title: 'Rules',
      tab: 'Rules',
      body: <RulesPage {...props} nameOf={nameOf} now={services.now()} />,
    };
  },
});

export const submitMovedTest = form({
  operationId: 'submitMovedTest',
  route: 'POST /{organizationId}/{projectId}/actions',
  needs: 'actions:write',
  access: {
    table: 'readWrite',
    writes: [rules, appliedRules, knownIssues, issueQuarantines, renamedTests, auditRecords],
    artifacts: 'none',
  },
  /** The signature of the test under its former name. */
  fields: z.object({ signature: id }),
  page: 'showRules',
  async submit({ visit, caller, fields: { signature } }, services) {
    await moveRenamedTest(services, { ...caller, signature });
    return redirect(linkToRules(visit));
  },
});

export const showRule = page({
  operationId: 'showRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}',
  needs: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, caller, path: { actionId }, query, refused }, services) {
    const rule = await requireVisitedRule(services, visit, actionId);
    const reviewedRule = await reviewRule(services, caller.organizationId, rule);
    const now = services.now();
    const range = { date_start: 0, date_end: now + 1 };
    const [nameOf, result, runners] = await Promise.all([
      loadActorNames(services, [rule.createdBy, ...(rule.updatedBy === undefined ? [] : [rule.updatedBy])]),
      listExecutionsOfRule(services, { ...caller, actionId, query: { ...query, ...range } }),
      readRunners(services, visit),
    ]);
    return {
      title: rule.name,
      tab: 'Rules',
      breadcrumbs: makeRuleBreadcrumbs(visit, rule.name),
      body: (
        <RulePage
          {...{ visit, reviewed: reviewedRule, nameOf, executions: result.data, paging: { query, ...result }, refused }}
          runners={runners}
          now={now}
        />
      ),
    };
  },
});

export const showNewRule = page({
  operationId: 'showNewRule',
  route: 'GET /{organizationId}/{projectId}/actions/new',
  lambda: 'settings',
  needs: 'actions:write',
  adds: true,
  access: { table: 'read', artifacts: 'none' },
  query: ruleQuery,
  async show({ visit, query: { show, ...query }, refused }, services) {
    const byDefault = show === undefined ? { expires: addDays(services.now(), RULE_LIMITS.quarantineDays) } : {};
    const draft = parseRuleDraft(refused?.values ?? { ...byDefault, ...query });
    const preview = show === 'preview' && !refused ? await computePreview(services, visit, draft) : undefined;
    const runners = await readRunners(services, visit);
    const hasBlank = show === 'more';
    const form = { visit, draft, refused, preview, runners, hasBlank, formId: makeFormId(services) };
    return {
      title: 'New rule',
      tab: 'Rules',
      hasSecret: true,
      breadcrumbs: makeRuleBreadcrumbs(visit, 'New rule'),
      body: (
        <RuleForm
          {...form}
          heading="New rule"
          action={linkToRules(visit, 'new')}
          of="submitNewRule"
          save="Create rule"
          cancelHref={linkToRules(visit)}
        />
      ),
    };
  },
});

const FormId = z.object({ formId: id });
export const submitNewRule = form({
  operationId: 'submitNewRule',
  route: 'POST /{organizationId}/{projectId}/actions/new',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords, submittedForms], artifacts: 'none' },
  fields: ruleFields,
  page: 'showNewRule',
  async submit({ visit, caller, fields }, services) {
    const input = validatePart(NewAction, toRuleBody(parseRuleDraft(fields)));
    const { formId } = validatePart(FormId, fields);
    const creation = { ...caller, formId, input };
    const { actionId } = await createRule(services, creation);
    return redirect(linkToRules(visit, actionId));
  },
});

export const showEditRule = page({
  operationId: 'showEditRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}/edit',
  lambda: 'settings',
  needs: 'actions:write',
  adds: true,
  access: { table: 'read', artifacts: 'none' },
  query: ruleQuery,
  async show({ visit, path: { actionId }, query: { show, ...query }, refused }, services) {
    const rule = await requireVisitedRule(services, visit, actionId);
    const formValues = refused?.values ?? (show === undefined ? undefined : query);
    const draft = formValues ? parseRuleDraft(formValues) : toRuleDraft(rule);
    const preview = show === 'preview' && draft && !refused ? await computePreview(services, visit, draft) : undefined;
    const heading = `Change ${rule.name}`;
    const action = linkToRules(visit, actionId, 'edit');
    const cancelHref = linkToRules(visit, actionId);
    const runners = await readRunners(services, visit);
    const hasBlank = show === 'more';
    const commonProps = { visit, refused, preview, runners, hasBlank, formId: makeFormId(services) };
    const form = { ...commonProps, heading, action, cancelHref };
    return {
      title: heading,
      tab: 'Rules',
      hasSecret: true,
      breadcrumbs: makeRuleBreadcrumbs(visit, heading),
      body: draft ? (
        <RuleForm {...form} draft={draft} of="submitRuleChange" save="Save rule" />
      ) : (
        <UnknownConditions heading={heading} actionId={actionId} backHref={cancelHref} />
      ),
    };
  },
});

export const submitRuleChange = form({
  operationId: 'submitRuleChange',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/edit',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  fields: ruleFields,
  page: 'showEditRule',
  async submit({ visit, caller, path: { actionId }, fields }, services) {
    const before = await requireVisitedRule(services, visit, actionId);
    const input = keepExpiry(validatePart(NewAction, toRuleBody(parseRuleDraft(fields))), before);
    await updateRule(services, { ...caller, actionId, input });
    return redirect(linkToRules(visit, actionId));
  },
});

const CHANGES = { enabled: enableRule, disabled: disableRule, extended: extendRule };
export const submitRuleStatus = form({
  operationId: 'submitRuleStatus',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/status',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  fields: z.object({
    status: z.enum(['enabled', 'disabled', 'extended']),
    back: z.enum(['rule', 'rules', 'test']).default('rule'),
    /** The signature of the test whose page is shown next, if `back` is `test`. */
    signature: id.default(''),
  }),
  page: 'showRule',
  async submit({ visit, caller, path: { actionId }, fields: { status, back, signature } }, services) {
    await requireVisitedRule(services, visit, actionId);
    await CHANGES[status](services, { ...caller, actionId });
    const hrefs = { rule: linkToRules(visit, actionId), rules: linkToRules(visit), test: linkToTest(visit, signature) };
    return redirect(hrefs[back], { cookies: [makeDoneCookie(`submitRuleStatus_${status}`)] });
  },
});

export const showArchiveRule = page({
  operationId: 'showArchiveRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}/archive',
  lambda: 'settings',
  needs: 'actions:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { actionId }, refused }, services) {
    const { name } = await requireVisitedRule(services, visit, actionId);
    const question = `Archive the rule ${name}?`;
    return {
      title: question,
      tab: 'Rules',
      breadcrumbs: makeRuleBreadcrumbs(visit, question),
      body: (
        <QuestionPage
          question={question}
          action={linkToRules(visit, actionId, 'archive')}
          refused={refused}
          yes="Archive rule"
          back={linkToRules(visit, actionId)}
        >
          Once the rule is archived, it no longer affects the tests that it matches. An archived rule cannot be enabled
          again.
        </QuestionPage>
      ),
    };
  },
});

export const submitArchiveRule = form({
  operationId: 'submitArchiveRule',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/archive',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, archivedRules, appliedRules, auditRecords], artifacts: 'none' },
  page: 'showArchiveRule',
  async submit({ visit, caller, path: { actionId } }, services) {
    await requireVisitedRule(services, visit, actionId);
    await archiveRule(services, { ...caller, actionId });
    return redirect(linkToRules(visit));
  },
});
