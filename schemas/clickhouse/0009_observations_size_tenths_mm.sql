-- Granules came after points: between the cells of one grid its own steps decide, of which several round to one hundredth of an inch.
ALTER TABLE observations_v{version}
    ADD COLUMN IF NOT EXISTS size_tenths_mm UInt16
    COMMENT 'Size of a grid cell in tenths of a millimetre, as the grid has it; 0 for records that are no grid'
    AFTER size_in
