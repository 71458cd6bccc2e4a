import { test } from '@playwright/test';

test('reads tax', () => {});
test('writes tax', () => {});
