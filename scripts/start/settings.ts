import { apiSettings } from '../../services/api/check-settings.ts';
import { feedSettings } from '../../services/feeds/check-settings.ts';
import { logSettings } from '../../services/log/check-settings.ts';
import type { SettingsCheck } from '../../services/runtime/check-config.ts';

/** What every room refuses of the settings: for those who ask for the service as a whole. A room with refusals of its own adds a line. */
export const everyRoom: readonly SettingsCheck[] = [logSettings, feedSettings, apiSettings];
