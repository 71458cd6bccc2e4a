import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';

/** In percent of the budget: of the actual costs, and of the costs that AWS forecasts for the month. */
const SPENT_PERCENT = 80;
const EXPECTED_PERCENT = 100;

export interface Budget {
  readonly dollarsPerMonth: number;
  readonly email: string;
}

/**
 * A budget for the whole account. A budget for this stack alone would need a cost allocation tag, and would send no
 * alerts until someone activates the tag in the billing console. The budget has no name, because CloudFormation
 * replaces it when the email address changes, and could not create a second budget with the same name.
 */
export function addBudget(scope: Construct, { dollarsPerMonth, email }: Budget): void {
  const mail = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'EMAIL', address: email }],
  });
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: dollarsPerMonth, unit: 'USD' } },
    notificationsWithSubscribers: [mail('ACTUAL', SPENT_PERCENT), mail('FORECASTED', EXPECTED_PERCENT)],
  });
}
