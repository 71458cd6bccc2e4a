import { compileEndedRun } from '#shared/analytics/sweep-analytics.ts';
import { updateBadges } from '#shared/badges/update-badges.ts';
import { rememberEndedRun } from '#shared/issues/automation/notice-run.ts';
import { factsParts } from '#shared/model/analytics/facts.ts';
import { analyticsNames } from '#shared/model/analytics/names.ts';
import { pendingRuns } from '#shared/model/analytics/pending.ts';
import { dueAnalytics, dueIssues } from '#shared/model/due.ts';
import { RunEnded } from '#shared/model/events/domain-event.ts';
import { endedRuns, issueTracking } from '#shared/model/issues/issue-automation.ts';
import { badges, badgesOfProject } from '#shared/model/organizations/badge.ts';
import { failures } from '#shared/model/results/failures.ts';
import { instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { buildTries } from '#shared/model/runs/build-tries.ts';
import { joins } from '#shared/model/runs/join.ts';
import { runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { runWords } from '#shared/model/runs/run-word.ts';
import { terms } from '#shared/model/runs/term.ts';
import { consumer } from '#shared/platform/consumer.ts';

/**
 * Updates the badges after a run has ended, schedules the update of the issues of its tests, and adds the run to
 * analytics within seconds. If the run cannot be added here, `mergeAnalytics`, which runs every minute, adds it.
 */
export const handler = consumer({
  name: 'compileEndedRun',
  source: 'runEnd',
  access: {
    table: 'readWrite',
    reads: [instances, testRecords, badgesOfProject, issueTracking, runsOfCommit, buildTries, joins, failures],
    writes: [analyticsNames, badges, dueAnalytics, dueIssues, endedRuns, factsParts, pendingRuns, runWords, terms],
    artifacts: 'none',
  },
  summary: 'Adds a run that has just ended to analytics, updates badges, and schedules the update of issues',
  maxReceiveCount: 3,
  timeoutSeconds: 60,
  messagesPerCall: 1,
  metrics: ['incomplete'],
  message: RunEnded,
  async handle(event, services) {
    const { runId, groupId: group } = event;
    await Promise.all([updateBadges(services, event), rememberEndedRun(services, event)]);
    const damagedInstances = await compileEndedRun(services, event);
    return [
      {
        runId,
        group,
        incomplete: damagedInstances.length,
        damaged: damagedInstances.map(({ instanceId }) => instanceId),
      },
    ];
  },
});
