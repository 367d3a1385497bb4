import { refusalsOf, type SettingsCheck } from '../runtime/check-config.ts';
import { parseStates } from './cocorahs/states.ts';
import { parseHistory } from './history-setting.ts';
import { parseBox } from './swdi/slices.ts';

const histories = ['SWDI_HISTORY', 'MRMS_HISTORY', 'SPC_HISTORY', 'COCORAHS_HISTORY', 'NWS_HISTORY'] as const;

/** What the feeds refuse of their settings, all of it: a feed that is made says its first refusal only. */
export const feedSettings: SettingsCheck = (config) =>
  refusalsOf([
    ...histories.map((setting) => () => parseHistory(setting, config[setting])),
    () => parseBox(config.SWDI_BBOX),
    () => parseStates(config.COCORAHS_STATES),
  ]);
