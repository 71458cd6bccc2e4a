import { test } from '@playwright/test';

test('reads stock', () => {});
test('writes stock', () => {});
