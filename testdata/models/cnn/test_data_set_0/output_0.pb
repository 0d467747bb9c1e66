

BprobabilitiesJ(3 ½;4<Ue<ëLû>¨Ò>ÊDV;µk_<që’>ş<={÷ñ: