/** Opens the URL in its first argument in Chromium, and keeps running until a test kills it. */
import { launchChromium } from './launch-chromium.ts';

const [, , address = ''] = process.argv;
const page = await (await launchChromium()).newPage();
await page.goto(address);
